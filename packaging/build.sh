#!/bin/sh
# Makes the packages of this machine: a tarball with its checksum, the npm package and the Debian package.
#   packaging/build.sh [--binary FILE] [--out DIR]
# Without --binary the binary is built here, statically.
set -eu
cd "$(dirname "$0")/.."

binary="" out="target/packages"
while [ $# -gt 0 ]; do
    case $1 in
        --binary) binary=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        *) echo "error: \`$1\` is no option of build.sh" >&2; echo "hint: packaging/build.sh [--binary FILE] [--out DIR]" >&2; exit 2 ;;
    esac
done

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(uname -m)
system=$(uname -s | tr '[:upper:]' '[:lower:]')
name="automode-$version-$system-$machine"

if [ -z "$binary" ]; then
    target=$(rustc -vV | sed -n 's/^host: //p')
    RUSTFLAGS="-C target-feature=+crt-static -C relocation-model=static" cargo build --release --locked --target "$target" -p automode-cli
    binary="target/$target/release/automode"
fi

rm -rf "$out"
mkdir -p "$out/$name"
cp "$binary" "$out/$name/automode"
cp LICENSE-MIT LICENSE-APACHE README.md "$out/$name/"
tar -C "$out" -czf "$out/$name.tar.gz" "$name"
(cd "$out" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$out/$name.tar.gz"

# npm: a small package that starts the binary, and one with the binary for this platform.
if command -v npm >/dev/null 2>&1; then
    case $machine in x86_64) cpu=x64 ;; aarch64) cpu=arm64 ;; *) cpu=$machine ;; esac
    npm="$out/npm"
    mkdir -p "$npm/platform"
    cp -R packaging/npm/automode "$npm/automode"
    sed -i "s/@VERSION@/$version/g" "$npm/automode/package.json"
    cp "$binary" "$npm/platform/automode"
    cp LICENSE-MIT LICENSE-APACHE "$npm/platform/"
    cat > "$npm/platform/package.json" <<JSON
{
  "name": "automode-$system-$cpu",
  "version": "$version",
  "description": "The automode binary for $system on $cpu",
  "license": "MIT OR Apache-2.0",
  "os": ["$system"],
  "cpu": ["$cpu"],
  "files": ["automode", "LICENSE-MIT", "LICENSE-APACHE"]
}
JSON
    (cd "$npm/platform" && npm pack --silent --pack-destination ..)
    (cd "$npm/automode" && npm pack --silent --pack-destination ..)
fi

# Debian: the binary, its manual pages and completions, by dpkg-deb alone.
if command -v dpkg-deb >/dev/null 2>&1; then
    root="$out/deb"
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/doc/automode" "$root/usr/share/bash-completion/completions" "$root/usr/share/man/man1"
    cp "$binary" "$root/usr/bin/automode"
    cp LICENSE-MIT "$root/usr/share/doc/automode/copyright"
    "$binary" completions bash > "$root/usr/share/bash-completion/completions/automode"
    "$binary" man --out "$root/usr/share/man/man1" >/dev/null
    cat > "$root/DEBIAN/control" <<CONTROL
Package: automode
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The automode authors <automode@localhost>
Section: devel
Priority: optional
Description: auto mode for any coding agent
 Answers allow, ask or deny when a coding agent wants to use a tool, and says why.
CONTROL
    dpkg-deb -Z"${DEB_COMPRESSION:-xz}" --build --root-owner-group "$root" "$out/automode_${version}_$(dpkg --print-architecture).deb"
    rm -rf "$root"
fi
