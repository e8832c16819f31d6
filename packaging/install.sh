#!/bin/sh
# Installs automode from a release, or from a folder that build.sh made.
#   install.sh [--from URL-OR-FOLDER] [--to FOLDER] [--key MINISIGN-KEY]
# The archive's checksum must match; where the key is known and minisign is there, its signature too.
set -eu

from="@RELEASE_URL@" to="${HOME:?the home directory is not known}/.local/bin" key="@MINISIGN_KEY@"
while [ $# -gt 0 ]; do
    case $1 in
        --from) from=$2; shift 2 ;;
        --to) to=$2; shift 2 ;;
        --key) key=$2; shift 2 ;;
        *) echo "error: \`$1\` is no option of install.sh" >&2; echo "hint: install.sh [--from URL-OR-FOLDER] [--to FOLDER] [--key MINISIGN-KEY]" >&2; exit 2 ;;
    esac
done
case $from in @*) echo "error: this copy of install.sh belongs to no release" >&2; echo "hint: install.sh --from target/packages" >&2; exit 2 ;; esac
case $key in @*) key="" ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name="automode-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m).tar.gz"

get() {
    if [ -d "$from" ]; then
        cp "$from/$1" "$work/" 2>/dev/null
    else
        curl --proto '=https' --tlsv1.2 -fsSL "$from/$1" -o "$work/$1"
    fi || { echo "error: \`$from\` has no \`$1\`: nothing was installed" >&2; exit 1; }
}

get "$name"
get "$name.sha256"
(cd "$work" && if command -v sha256sum >/dev/null 2>&1; then sha256sum -c "$name.sha256"; else shasum -a 256 -c "$name.sha256"; fi) >/dev/null 2>&1 ||
    { echo "error: the checksum of \`$name\` does not match: nothing was installed" >&2; exit 1; }
if [ -n "$key" ] && command -v minisign >/dev/null 2>&1; then
    get "$name.minisig"
    minisign -Vqm "$work/$name" -P "$key" >/dev/null 2>&1 ||
        { echo "error: the signature of \`$name\` does not match: nothing was installed" >&2; exit 1; }
elif [ -n "$key" ]; then
    echo "note: the signature was not checked, for there is no minisign"
fi

tar -C "$work" -xzf "$work/$name"
mkdir -p "$to"
# Put in place by rename: a hook that starts meanwhile finds the old binary or the new one.
for program in automode-server automode; do
    [ -f "$work/${name%.tar.gz}/$program" ] || continue
    cp "$work/${name%.tar.gz}/$program" "$to/.$program.new"
    chmod 755 "$to/.$program.new"
    mv "$to/.$program.new" "$to/$program"
done
echo "installed $("$to/automode" --version) as $to/automode"
case ":$PATH:" in *":$to:"*) ;; *) echo "hint: $to is not on your PATH" ;; esac
echo "next: automode setup"
