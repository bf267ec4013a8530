# Sourced by scripts that take packages or sources from Debian's archive.  They use an apt state of their own: the machine's
# sources, lists and packages stay as they are.  apt checks the signatures, as always.

debian_keys=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_archive_open FOLDER deb|deb-src SUITES [ARCHITECTURE]: sets APT_CONFIG to a state of apt in FOLDER, with the packages
# or the sources of SUITES ("bullseye", "bookworm bookworm-security") from the mirrors that this machine uses for Debian 12.
debian_archive_open() {
        local apt=$1 type=$2 suites=$3 architecture=${4-$(dpkg --print-architecture)} suite
        unset APT_CONFIG
        mkdir -p "$apt"/{lists/partial,cache/archives/partial}
        for suite in $suites; do
                apt-get indextargets --format "$type [signed-by=$debian_keys] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
                        'Created-By: Packages' 'Component: main' |
                        sed -nE "s/ bookworm(${suite#"${suite%%-*}"}) main\$/ ${suite%%-*}\1 main/p" | sort -u
        done >"$apt/sources.list"
        [ -s "$apt/sources.list" ] || { echo "no archive of Debian 12 among the sources of apt" >&2; exit 1; }
        : >"$apt/status"
        cat >"$apt/apt.conf" <<CONF
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
CONF
        export APT_CONFIG=$apt/apt.conf
        [ -f "$apt/updated" ] || { apt-get update -qq && touch "$apt/updated"; }
}

# debian_archive_get VERB PACKAGE: the newest version that the mirror has.  For some hours after an update of security its lists may
# name files that a mirror does not have yet.
debian_archive_get() {
        local verb=$1 package=$2 version versions
        apt-get "$verb" -qq "$package" >/dev/null && return
        case $verb in
        source) versions=$(apt-cache showsrc --only-source "$package" | sed -n 's/^Version: //p') ;;
        *) versions=$(apt-cache madison "$package" | cut -d '|' -f 2 | tr -d ' ') ;;
        esac
        for version in $(sort -ruV <<<"$versions" | tail -n +2); do
                apt-get "$verb" -qq "$package=$version" >/dev/null || continue
                echo "$package: the mirror lacks the newest version; taking $version" >&2
                return
        done
        return 1
}

# debian_archive_unpack FOLDER PACKAGE...: unpacks the newest of each below FOLDER, and adds NAME VERSION to FOLDER/packages
debian_archive_unpack() {
        local folder=$1 deb
        shift
        rm -rf "$folder/download"
        mkdir -p "$folder/download"
        (cd "$folder/download" && for deb in "$@"; do debian_archive_get download "$deb" || exit; done) || return
        for deb in "$folder"/download/*.deb; do
                dpkg-deb -x "$deb" "$folder" && dpkg-deb -W --showformat '${Package} ${Version}\n' "$deb" >>"$folder/packages"
        done
        rm -rf "$folder/download"
}

# debian_archive_source PACKAGE VERSION FOLDER: unpacks a source at FOLDER; VERSION is upstream's.  FOLDER.version gets
# Debian's.
debian_archive_source() {
        local package=$1 version=$2 folder=$3 found
        rm -rf "$folder" "$folder.unpack"
        mkdir -p "$folder.unpack"
        (cd "$folder.unpack" && debian_archive_get source "$package") || exit
        found=$(sed -n 's/^Version: //p' "$folder.unpack"/*.dsc | head -n 1)
        [ "$(sed -E 's/^[0-9]+://; s/-[^-]*$//; s/[.+]dfsg.*//' <<<"$found")" = "$version" ] ||
                { echo "$package: Debian has version $found, this script is for $version" >&2; exit 1; }
        mv "$folder.unpack"/*/ "$folder"
        rm -rf "$folder.unpack"
        echo "$found" >"$folder.version"
}
