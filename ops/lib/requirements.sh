# Sourced by the scripts of ops: what a fresh Debian machine with a Swift toolchain lacks.
# Installs it as root or with sudo; else prints the one command to run.

require_packages() {
    local missing=()
    command -v python3 >/dev/null || missing+=(python3)
    # For the Python client in the tests; Debian keeps it apart.
    python3 -c "import ensurepip, venv" 2>/dev/null || missing+=(python3-venv)
    command -v openssl >/dev/null || missing+=(openssl)
    command -v pkg-config >/dev/null || missing+=(pkg-config)
    [ -e /usr/include/postgresql/libpq-fe.h ] || missing+=(libpq-dev)
    [ -e /usr/include/sqlite3.h ] || missing+=(libsqlite3-dev)
    [ -e /usr/include/jemalloc/jemalloc.h ] || missing+=(libjemalloc-dev)
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
    # For the tests alone: their servers run behind it too.
    [ "${1:-}" != --tests ] || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
    # For the bench alone: the yardsticks of fan-out, watch and idle, and of route.
    [ "${1:-}" != --bench ] || [ -x /usr/sbin/mosquitto ] || missing+=(mosquitto)
    [ "${1:-}" != --bench ] || [ -e /usr/include/GeographicLib/Geodesic.hpp ] || missing+=(libgeographiclib-dev)
    [ "${1:-}" != --bench ] || command -v g++ >/dev/null || missing+=(g++)
    install_packages "${missing[@]}"
}

# For the tests alone: prometheus and promtool, unpacked from Debian's package into .build/prometheus. Installed, the
# package would start a server of its own. Sets FOCUS_PROMTOOL.
require_prometheus() {
    local place="$PWD/.build/prometheus"
    if [ ! -x /usr/bin/promtool ] || [ ! -x /usr/bin/prometheus ]; then
        [ -x "$place/usr/bin/promtool" ] || unpack_package prometheus "$place" || return 1
    else
        place=
    fi
    export FOCUS_PROMTOOL="$place/usr/bin/promtool"
}

# For ops/test --thorough alone: ops/lib/pitr.
require_pgbackrest() {
    command -v pgbackrest >/dev/null || install_packages pgbackrest
}

# For ops/package: dpkg-shlibdeps, which brings strip with it; and what Foundation is made of where it is linked in.
require_packaging() {
    local missing=()
    command -v dpkg-shlibdeps >/dev/null || missing+=(dpkg-dev)
    [ -e /usr/include/libxml2/libxml/tree.h ] || missing+=(libxml2-dev)
    install_packages "${missing[@]}"
}

# For ops/lib/installed.
require_debootstrap() {
    command -v debootstrap >/dev/null || install_packages debootstrap
}

# Unpacks a package of Debian into a directory, without installing it; needs no rights but for the lists of packages.
unpack_package() {
    local download
    download=$(mktemp -d)
    echo "unpacking: $1" >&2
    if ! (cd "$download" && { apt-get download -q "$1" >&2 || { update_packages && apt-get download -q "$1" >&2; }; }) ||
        ! { mkdir -p "$2" && dpkg-deb -x "$download"/*.deb "$2.new" && rm -rf "$2" && mv "$2.new" "$2"; }; then
        rm -rf "$download"
        echo "The package $1 could not be downloaded. Run this, then try again: su -c 'apt-get update'" >&2
        return 1
    fi
    rm -rf "$download"
}

update_packages() {
    if [ "$(id -u)" -eq 0 ]; then apt-get update -q >&2; else sudo -n apt-get update -q >&2; fi
}

# For ops/model alone.
require_spin() {
    local missing=()
    command -v spin >/dev/null || missing+=(spin)
    command -v gcc >/dev/null || missing+=(gcc libc6-dev)
    install_packages "${missing[@]}"
}

install_packages() {
    [ "$#" -eq 0 ] && return 0
    local install="apt-get install -y --no-install-recommends $*"
    if [ "$(id -u)" -eq 0 ]; then
        echo "installing: $*" >&2
        apt-get update -q >&2 && DEBIAN_FRONTEND=noninteractive $install >&2
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        echo "installing: $*" >&2
        sudo apt-get update -q >&2 && sudo DEBIAN_FRONTEND=noninteractive $install >&2
    else
        echo "Missing: $*. Run this, then try again:" >&2
        echo "  su -c 'apt-get update && $install'" >&2
        return 1
    fi
}

require_swift() {
    command -v swift >/dev/null && return 0
    echo "No Swift toolchain on the PATH. Install Swift 6.2 or later (swift.org/install), then try again." >&2
    return 1
}
