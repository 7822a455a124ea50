#!/usr/bin/env bash
# Moves the workshop to another version of Kubernetes: every go.mod, and the
# places that name the version. Then it says what does not compile and where else
# the old version is written. docs/versions.md says what to do next.
#
#   bump.sh v0.38.1          client-go's version; Kubernetes is then v1.38.1
#   bump.sh v0.38.1 --main   compile the main module only, not the control plane
#
# It changes files and commits nothing: start from a clean work tree.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
}

version='' only_main=''
for arg in "$@"; do
  case $arg in
    -h | --help)
      usage
      exit
      ;;
    --main) only_main=yes ;;
    v0.*) version=$arg ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
done
if ! [[ $version =~ ^v0\.[0-9]+\.[0-9]+(-[a-z]+\.[0-9]+)?$ ]]; then
  usage >&2
  exit 2
fi
if [ -n "$(git status --porcelain)" ]; then
  echo "bump.sh: the work tree has changes; commit them first" >&2
  exit 2
fi

kubernetes=v1.${version#v0.}
old=$(awk '$1 == "k8s.io/client-go" { print $2; exit }' go.mod)
old_kubernetes=v1.${old#v0.}
minor=${version#v0.} minor=${minor%%.*}
old_minor=${old#v0.} old_minor=${old_minor%%.*}
echo "from client-go $old, Kubernetes $old_kubernetes"
echo "to   client-go $version, Kubernetes $kubernetes"
if [ $((minor > old_minor ? minor - old_minor : old_minor - minor)) -gt 1 ]; then
  echo "bump.sh: one minor version at a time: docs/versions.md says why" >&2
  exit 2
fi

part() {
  printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

part "what Kubernetes $kubernetes is made of"
if ! download=$(cd cmd/controlplane && go mod download -json "k8s.io/kubernetes@$kubernetes"); then
  echo "bump.sh: there is no Kubernetes $kubernetes:" >&2
  printf '%s\n' "$download" >&2
  exit 1
fi
kubernetes_mod=$(sed -n 's/.*"GoMod": "\(.*\)".*/\1/p' <<<"$download")
# The modules of Kubernetes' own repository: they have one version. Nobody
# requires the samples.
staging=$(sed -n 's#^[[:space:]]*k8s\.io/\([a-z-]*\) => \./staging/.*#\1#p' "$kubernetes_mod" | grep -v '^sample-c')
echo "$(wc -l <<<"$staging" | tr -d ' ') modules of its repository"

# rewrite_mod FILE: sets the versions in a go.mod. A `replace` with the comment
# "pinned" stays as it is. Where a module is replaced, the version of
# its indirect requirement does not matter; elsewhere it is dropped, and
# `go mod tidy` finds it.
rewrite_mod() {
  local replaced=''
  grep -q '=> k8s\.io/' "$1" && replaced=yes
  awk -v staging="$staging" -v version="$version" -v kubernetes="$kubernetes" -v replaced="$replaced" '
    BEGIN {
      n = split(staging, names, "\n")
      for (i = 1; i <= n; i++) own["k8s.io/" names[i]] = 1
      sort = "LC_ALL=C sort"
    }
    $1 == "replace" && $2 == "(" { print; fflush(); block = 1; next }
    block && $1 == ")" {
      for (m in own) if (ours && !(m in seen)) print "\t" m " => " m " " version | sort
      close(sort)
      block = 0
      print
      next
    }
    block && $1 ~ /^k8s\.io\// && $1 == $3 {
      ours = 1
      seen[$1] = 1
      if (!/pinned/) sub(/ v0\..*/, " " version)
      if ($1 in own) print | sort
      next
    }
    block { print | sort; next }
    $1 == "k8s.io/kubernetes" || $1 == "require" && $2 == "k8s.io/kubernetes" { sub(/v1\.[^ ]*/, kubernetes) }
    ($1 in own) && /\/\/ indirect/ { if (!replaced) next }
    ($1 in own) && !/\/\/ indirect/ { sub(/ v0\..*/, " " version) }
    { print }' "$1" >"$1.new"
  mv "$1.new" "$1"
}

# The newest release of controller-runtime for this minor version: it counts its
# own minor versions 12 lower.
controller_runtime() {
  (cd cmd/benchcontroller && go list -m -versions sigs.k8s.io/controller-runtime) | tr ' ' '\n' |
    grep -E "^v0\.$((minor - 12))\.[0-9]+\$" | tail -n 1
}

# The main module comes first: cmd/benchcontroller takes its versions.
modules=(.)
while IFS= read -r file; do
  modules+=("$(dirname "$file")")
done < <(git grep -lF k8s.io/ -- '*/go.mod')
for module in "${modules[@]}"; do
  part "$module/go.mod"
  rewrite_mod "$module/go.mod"
  if [ "$module" = cmd/benchcontroller ]; then
    runtime=$(controller_runtime) || runtime=''
    if [ -n "$runtime" ]; then
      (cd "$module" && go mod edit -require="sigs.k8s.io/controller-runtime@$runtime")
    else
      echo "there is no controller-runtime v0.$((minor - 12)) yet: it stays as it is"
    fi
  fi
  if ! (cd "$module" && go mod tidy 2>&1 | grep -v '^go: downloading ' || exit "${PIPESTATUS[0]}"); then
    echo "bump.sh: go mod tidy fails in $module" >&2
    exit 1
  fi
done

part "the places that name the version"
places=(internal/version/version.go cmd/controlplane/buildflags.txt scripts/node-image/README.md docs/kind.md)
for file in "${places[@]}"; do
  sed -i.bak \
    -e "s#client-go-workshop/node:$old_kubernetes#client-go-workshop/node:$kubernetes#g" \
    -e "s#^const Kubernetes = \"$old_kubernetes\"#const Kubernetes = \"$kubernetes\"#" \
    -e "s#version\.gitVersion=$old_kubernetes#version.gitVersion=$kubernetes#g" \
    -e "s#version\.gitMinor=$old_minor #version.gitMinor=$minor #g" \
    "$file"
  rm -f "$file.bak"
done
git diff --stat -- "${places[@]}" | cat

broke=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# try NAME COMMAND...: notes what fails, and goes on.
try() {
  part "$1"
  "${@:2}" 2>&1 | tee -a "$log" || broke+=("$1")
}
in_module() {
  (cd "$1" && "${@:2}")
}

try "one version everywhere" go test ./internal/version
try "go build ./..." go build ./...
try "go vet ./..." go vet ./...
if [ -z "$only_main" ]; then
  try "cmd/benchcontroller: go vet" in_module cmd/benchcontroller go vet ./...
  try "cmd/controlplane: go vet" cmd/controlplane/go.sh vet ./...
fi

part "where else the old version is written"
git grep -nF -e "$old" -e "$old_kubernetes" -e "v0.$old_minor " -- ':!*go.mod' ':!*go.sum' ':!CHANGELOG.md' | cut -c1-160 || echo "nowhere"

part "by hand"
cat <<END
etcd in cmd/controlplane and scripts/node-image: the version that Kubernetes $kubernetes requires
sigs.k8s.io/kind in go.mod: the release whose node image is $kubernetes, if there is one
CHANGELOG.md; then the table of docs/versions.md
END

if [ "${#broke[@]}" -gt 0 ]; then
  printf '\nwhat broke:\n'
  printf '  %s\n' "${broke[@]}"
  printf 'first in each file:\n'
  sed -E 's/^vet: //' "$log" | grep -E '^[^ ]+\.go:[0-9]+' | sort -u -t: -k1,1 | sed 's/^/  /'
  exit 1
fi
printf '\nall of it compiles\n'
