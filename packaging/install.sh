#!/bin/sh
# Installs automode from a release, or from a folder that build.sh made.
#   install.sh [--from URL-OR-FOLDER] [--to FOLDER]
# The archive's checksum must match; where minisign and the key are there, its signature too.
set -eu

from="@RELEASE_URL@" to="${HOME:?the home directory is not known}/.local/bin" key="@MINISIGN_KEY@"
while [ $# -gt 0 ]; do
    case $1 in
        --from) from=$2; shift 2 ;;
        --to) to=$2; shift 2 ;;
        *) echo "error: \`$1\` is no option of install.sh" >&2; echo "hint: install.sh [--from URL-OR-FOLDER] [--to FOLDER]" >&2; exit 2 ;;
    esac
done
case $from in @*) echo "error: this copy of install.sh belongs to no release" >&2; echo "hint: install.sh --from target/packages" >&2; exit 2 ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suffix="$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.gz"

if [ -d "$from" ]; then
    archive=$(find "$from" -maxdepth 1 -name "automode-*-$suffix" | head -n 1)
    [ -n "$archive" ] || { echo "error: \`$from\` holds no archive for this machine ($suffix)" >&2; exit 1; }
    cp "$archive" "$archive.sha256" "$work/"
    name=$(basename "$archive")
else
    name="automode-$suffix"
    for file in "$name" "$name.sha256"; do
        curl --proto '=https' --tlsv1.2 -fsSL "$from/$file" -o "$work/$file"
    done
    if [ "${key#@}" = "$key" ] && command -v minisign >/dev/null 2>&1; then
        curl --proto '=https' --tlsv1.2 -fsSL "$from/$name.minisig" -o "$work/$name.minisig"
        minisign -Vqm "$work/$name" -P "$key"
    fi
fi

(cd "$work" && if command -v sha256sum >/dev/null 2>&1; then sha256sum -c "$name.sha256"; else shasum -a 256 -c "$name.sha256"; fi) >/dev/null ||
    { echo "error: the checksum of \`$name\` does not match: nothing was installed" >&2; exit 1; }

tar -C "$work" -xzf "$work/$name"
mkdir -p "$to"
# Put in place by rename: a hook that starts meanwhile finds the old binary or the new one.
cp "$work"/automode-*/automode "$to/.automode.new"
chmod 755 "$to/.automode.new"
mv "$to/.automode.new" "$to/automode"
echo "installed $("$to/automode" --version) as $to/automode"
case ":$PATH:" in *":$to:"*) ;; *) echo "hint: $to is not on your PATH" ;; esac
echo "next: automode doctor"
