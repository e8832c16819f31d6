#!/bin/sh
# Makes the packages of one target: a tarball with its checksum, the npm package and, for Linux,
# the Debian package and the folder that an image is made of.
#   packaging/build.sh [--target TRIPLE] [--profile NAME] [--binaries FOLDER] [--sign KEY] [--out FOLDER]
# Without --target it is this machine's: on Linux a static one, with musl. Without --binaries
# `automode` and `automode-server` are built here, with the release profile unless another is
# named. --sign has minisign sign the tarball.
set -eu
cd "$(dirname "$0")/.."

target="" profile=release binaries="" key="" out="target/packages"
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$2; shift 2 ;;
        --profile) profile=$2; shift 2 ;;
        --binaries) binaries=$2; shift 2 ;;
        --sign) key=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        *) echo "error: \`$1\` is no option of build.sh" >&2; echo "hint: packaging/build.sh [--target TRIPLE] [--profile NAME] [--binaries FOLDER] [--sign KEY] [--out FOLDER]" >&2; exit 2 ;;
    esac
done

host=$(rustc -vV | sed -n 's/^host: //p')
if [ -z "$target" ]; then
    case $host in *-linux-*) target="${host%%-*}-unknown-linux-musl" ;; *) target=$host ;; esac
fi
# The names that `uname` has for the machine that the packages are for: install.sh looks for them.
machine=${target%%-*}
case $target in
    *-linux-*) system=linux ;;
    *-darwin) system=darwin; [ "$machine" != aarch64 ] || machine=arm64 ;;
    *) echo "error: \`$target\` is no target that is packaged" >&2; exit 2 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name="automode-$system-$machine"

# Another processor's C, in the cryptography and in SQLite, is compiled by zig, and linked by rustc's own linker.
cross() {
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    if command -v zig >/dev/null 2>&1; then zig=zig; else zig="python3 -m ziglang"; fi
    $zig version >/dev/null 2>&1 || { echo "error: C for \`$target\` needs zig" >&2; echo "hint: pip install ziglang" >&2; exit 1; }
    # cc's crate names the target in words that zig has no meaning for.
    cat > "$work/cc" <<CC
#!/bin/bash
words=()
for word in "\$@"; do case \$word in --target=*) ;; *) words+=("\$word") ;; esac; done
exec $zig cc -target $machine-linux-musl -fno-sanitize=all "\${words[@]}"
CC
    printf '#!/bin/sh\nexec %s ar "$@"\n' "$zig" > "$work/ar"
    chmod +x "$work/cc" "$work/ar"
    under=$(echo "$target" | tr - _)
    export "CC_$under=$work/cc" "AR_$under=$work/ar"
    export "CARGO_TARGET_$(echo "$under" | tr '[:lower:]' '[:upper:]')_LINKER=rust-lld"
}

if [ -z "$binaries" ]; then
    case $target in
        "${host%%-*}"-*-musl) command -v musl-gcc >/dev/null 2>&1 || cross ;;
        *-musl) cross ;;
    esac
    cargo build --profile "$profile" --locked --target "$target" -p automode-cli -p automode-server
    case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
    binaries="${CARGO_TARGET_DIR:-target}/$target/$folder"
fi

rm -rf "$out"
mkdir -p "$out/$name"
programs="automode automode-server"
for program in $programs; do cp "$binaries/$program" "$out/$name/"; done
cp LICENSE-MIT LICENSE-APACHE README.md "$out/$name/"
tar -C "$out" -czf "$out/$name.tar.gz" "$name"
(cd "$out" && { sha256sum "$name.tar.gz" 2>/dev/null || shasum -a 256 "$name.tar.gz"; } > "$name.tar.gz.sha256")
[ -z "$key" ] || minisign -S -s "$key" -m "$out/$name.tar.gz" >/dev/null </dev/null
echo "$out/$name.tar.gz"

# npm: a small package that starts the binary, and one with the binaries for this platform.
if command -v npm >/dev/null 2>&1; then
    case $machine in x86_64) cpu=x64 ;; aarch64) cpu=arm64 ;; *) cpu=$machine ;; esac
    npm="$out/npm"
    mkdir -p "$npm/platform"
    cp -R packaging/npm/automode-cli "$npm/automode-cli"
    sed "s/@VERSION@/$version/g" packaging/npm/automode-cli/package.json > "$npm/automode-cli/package.json"
    files=""
    for program in $programs; do
        cp "$binaries/$program" "$npm/platform/"
        files="$files\"$program\", "
    done
    cp LICENSE-MIT LICENSE-APACHE "$npm/platform/"
    cat > "$npm/platform/package.json" <<JSON
{
  "name": "automode-$system-$cpu",
  "version": "$version",
  "description": "The automode binaries for $system on $cpu",
  "license": "MIT OR Apache-2.0",
  "os": ["$system"],
  "cpu": ["$cpu"],
  "files": [$files"LICENSE-MIT", "LICENSE-APACHE"]
}
JSON
    (cd "$npm/platform" && npm pack --silent --pack-destination ..)
    (cd "$npm/automode-cli" && npm pack --silent --pack-destination ..)
fi

[ "$system" = linux ] || exit 0
case $machine in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; *) architecture=$machine ;; esac

# The image: the binaries under the name that container engines have for the processor.
mkdir -p "$out/image/$architecture" "$out/image/state"
for program in $programs; do cp "$binaries/$program" "$out/image/$architecture/"; done
cp "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$out/image/ca-certificates.crt" 2>/dev/null ||
    echo "note: no certificates of authorities were found; an image without them reaches nobody over TLS" >&2

# Debian: the binaries, manual pages and completions, by dpkg-deb alone. Pages and completions
# are the same on every machine: a binary that runs here writes them.
if command -v dpkg-deb >/dev/null 2>&1; then
    own="$binaries/automode"
    [ "$machine" = "${host%%-*}" ] || own=$(command -v automode || echo "${AUTOMODE_HERE:?names an automode that runs on this machine, for the manual pages}")
    root="$out/deb"
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/doc/automode" "$root/usr/share/bash-completion/completions" "$root/usr/share/man/man1"
    for program in $programs; do cp "$binaries/$program" "$root/usr/bin/"; done
    cat LICENSE-MIT LICENSE-APACHE > "$root/usr/share/doc/automode/copyright"
    "$own" completions bash > "$root/usr/share/bash-completion/completions/automode"
    "$own" man --out "$root/usr/share/man/man1" >/dev/null
    gzip -9n "$root"/usr/share/man/man1/*
    gzip -9nc CHANGELOG.md > "$root/usr/share/doc/automode/changelog.gz"
    cat > "$root/DEBIAN/control" <<CONTROL
Package: automode
Version: $version
Architecture: $architecture
Maintainer: The automode authors <automode@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Section: devel
Priority: optional
Description: auto mode for any coding agent
 Answers allow, ask or deny when a coding agent wants to use a tool, and says
 why.
CONTROL
    dpkg-deb -Z"${DEB_COMPRESSION:-xz}" --build --root-owner-group "$root" "$out/automode_${version}_$architecture.deb"
    rm -rf "$root"
fi
