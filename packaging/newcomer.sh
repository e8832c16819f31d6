#!/bin/sh
# A newcomer's path, timed: from a clone to a hook that stops a call, in the four commands of the README.
#
#   packaging/newcomer.sh [SOURCE]      SOURCE is what is cloned: this repository
#
# The lines are read from the README and run as they stand there, in a scratch directory with a
# home of its own. Where there is no Claude Code, a stand-in with its name is put on the search
# path. Cargo's own variables count, such as CARGO_TARGET_DIR and CARGO_PROFILE_RELEASE_OPT_LEVEL.
set -eu

REPOSITORY=${1:-$(cd "$(dirname "$0")/.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export REPOSITORY CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
export CARGO_INSTALL_ROOT="$scratch/own"
export HOME="$scratch/home" PATH="$scratch/own/bin:$scratch/bin:$PATH"
mkdir -p "$HOME" "$scratch/bin"
if ! command -v claude >/dev/null 2>&1; then
    printf '#!/bin/sh\necho stand-in\n' > "$scratch/bin/claude"
    chmod +x "$scratch/bin/claude"
fi

# The block of the README that begins with the clone.
sed -n '/^git clone /,/^```/p' "$REPOSITORY/README.md" | grep -v '^```' > "$scratch/commands"
commands=$(grep -c . "$scratch/commands")
[ "$commands" = 4 ] || { echo "the README has $commands commands, not 4"; exit 1; }

cd "$scratch"
began=$(date +%s)
while IFS= read -r command <&3; do
    start=$(date +%s)
    eval "$command" > "$scratch/said" 2>&1 || { echo "failed: $command"; cat "$scratch/said"; exit 1; }
    echo "$(($(date +%s) - start)) s  $command"
done 3< "$scratch/commands"

grep -q "stops a call that must not pass" "$scratch/said" || { cat "$scratch/said"; exit 1; }
echo "$(($(date +%s) - began)) s  from the clone to a proven denial, in $commands commands"
