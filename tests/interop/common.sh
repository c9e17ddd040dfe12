# Shared by the scripts of this folder; to be sourced. Sets here, work, ROLLCALL and the current folder; offers set_up,
# install_packages, version_of, unpacked, forget_surroundings.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

here=$root/tests/interop
work=$root/build/interop
mkdir -p "$work"
cd "$work"
export PYTHONDONTWRITEBYTECODE=1

if [ -z "${ROLLCALL:-}" ]; then
  need_packages demo
  build_command
  ROLLCALL=$root/build/dev/rollcall
fi

# set_up NAME: a virtual environment build/interop/NAME with tests/interop/requirements-NAME.txt, kept from run to run.
set_up() {
  if ! cmp -s "$here/requirements-$1.txt" "$1/installed.txt"; then
    say "installing requirements-$1.txt"
    rm -rf "$1"
    python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements-$1.txt" >"$1.log" 2>&1 || return 1
    cp "$here/requirements-$1.txt" "$1/installed.txt"
  fi
}

# install_packages NAME…: installs missing Debian packages. Some would start services, which are not needed here: Debian has a switch for
# that.
install_packages() {
  local package policy=/usr/sbin/policy-rc.d
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
    say "installing $package"
    [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy; chmod +x $policy; trap 'rm -f /usr/sbin/policy-rc.d' EXIT; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" >packages.log 2>&1 || return 1
  done
}

# version_of ENVIRONMENT PACKAGE
version_of() { printf '%s %s\n' "$2" "$("$1/bin/python" -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "$2")"; }

# unpacked ENVIRONMENT NAME==VERSION FOLDER PATTERN [PIP_OPTION…]: sources out of a package that is not installed. Prints the folder, or
# nothing.
unpacked() {
  local environment=$1 package=$2 folder=$work/$3 pattern=$4
  shift 4
  if [ ! -d "$folder" ]; then
    rm -rf "$folder.part"
    mkdir -p "$folder.part"
    "$environment/bin/pip" download --quiet --disable-pip-version-check --no-deps "$@" -d "$folder.part" "$package" >"$folder.log" 2>&1 &&
      python3 "$here/python/unpack.py" "$folder.part" "$pattern" || { rm -rf "$folder.part"; return 0; }
    mv "$folder.part" "$folder"
  fi
  echo "$folder"
}

# Clients look for settings in many places: only those of the calling script may count.
forget_surroundings() {
  local name
  for name in $(compgen -e | grep -E '^(TPU_|TF_|GCE_|CLOUDSDK_|GOOGLE_|KUBE_|ROLLCALL_|HTTPS?_PROXY$|https?_proxy$|ALL_PROXY$|all_proxy$)'); do
    [ "$name" = ROLLCALL_JOBS ] || unset "$name"
  done
}
