//! What the name of an argument says.
//!
//! A tool that reads is only known to read where all its arguments are known: where to
//! look, what for, how much of it. `apply`, `set` or a key that nobody has heard of may
//! turn the reading into something else.

use super::super::verb::words;

/// What an argument under a key can do to a tool that reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKey {
    /// Says where to look, what for, or how much.
    Selects,
    /// Says to do something.
    Commands,
    /// Names what is to be done.
    Names,
    /// Says that something is only tried, or only read.
    Holds,
    Unknown,
}

/// Words that make a key harmless wherever one of them stands last.
const SELECTS: &str = "\
    accept account address after age alias all amount app area article artifact asset \
    assignee attribute attributes author base before begin between board body boards branch \
    branches bucket budget build calendar case category categories channel channels \
    characters chart city class cloud cluster code codes collection color column columns \
    commit company component condition contact content contents context coordinates count \
    country cql created currency cursor customer cwd dashboard data database dataset date \
    dates day days db default depth desc description details device dimensions dir direction \
    directories directory distance doc docs document documents domain duration element \
    encoding end entities entity entries environment epic event events example exclude \
    excludes expand expr expression extension extensions extract field fields file filename \
    filenames files filter filters folder folders format frame from full function glob globs \
    group groups hash head headline height hidden host hostname hour hours id ids image \
    include includes index indices input insensitive instance interval issue issues item \
    items iid job jql json key keys keyword keywords kind kinds label labels lang language \
    languages last lat latitude length level levels library license limit line lines link \
    list lng locale location log logql logs lon long longitude markdown match max measure \
    media member message messages metric metrics milestone min minute minutes model models \
    module month months name names namespace node nodes note number numbers object objects \
    offset operator option options order org organization origin owner owners package \
    packages page pages parent participants path paths pattern patterns period person place \
    platform plugin point points position post prefix price priority product promql profile \
    project projection projects prompt properties property provider pull q quality queries \
    query question questions radius range ranking rating raw record records recursive ref \
    reference references region release repo repos repositories repository request \
    resolution resource resources result results review revision role room root route row \
    rows run sample schema scope score search seconds section sections select selector \
    sensitive server service session severity sha sheet show since site sites size skip slug \
    sort source sources space speed spreadsheet sprint stack stage start state statement \
    statements states station status statuses step steps strategy string style subject \
    subreddit suffix summary symbol symbols tab table tables tag tags target task tasks team \
    temperature template tenant term terms test tests text thread threshold ticker ticket \
    tickets time timeframe timeout timestamp timezone title to token tokens tool topic \
    topics total trace tree type types tz uid unit units until updated uri uris url urls \
    user username users value values variable variables verbose version versions video view \
    viewport visibility volume week weeks where width window word words workflow workspace x \
    y year years zip zone zoom";

/// Words that tell a tool to do something, alone or with others of their kind.
const COMMANDS: &str = "\
    apply approve args arguments argv auto callback commit confirm confirmed create delete \
    deploy destroy drop edit eval evaluate exec execute fix force grant hook install invoke \
    merge modify mutation overwrite patch persist pipe publish purge push put remove rename \
    replace reset run save send set submit sync transfer trigger truncate unset update \
    upload upsert webhook write yes";

/// Words of a key that names whom else is told, and by which address.
const TELLS: &str = "callback forward hook notify notification notifications postback webhook";

/// Words that say, in front of any other, how much is shown.
const WIDENS: &str = "\
    exclude excluding has hide include including is max min omit only show skip with without";

/// Words of a key whose value is a verb.
const NAMES: &str = "action actions method mode op operation output verb";

/// Words of a key that holds a tool back.
const HOLDS: &str = "dry dryrun preview readonly simulate noop check safe";

/// Reads a key.
pub(super) fn of(key: &str) -> FieldKey {
    // The operators of a query of documents have their own list.
    if let Some(operator) = key.strip_prefix('$') {
        return if is_in(OPERATORS, operator) {
            FieldKey::Selects
        } else {
            FieldKey::Unknown
        };
    }
    let words = words(key);
    let is = |list: &str| words.iter().any(|word| is_in(list, word));
    let only = |list: &str| words.iter().all(|word| is_in(list, word));
    if words.is_empty() {
        FieldKey::Unknown
    } else if is(HOLDS) || words == ["read", "only"] {
        FieldKey::Holds
    } else if words.len() > 1 && is(TELLS) {
        FieldKey::Unknown
    } else if words.last().is_some_and(|word| is_in(NAMES, word)) {
        FieldKey::Names
    } else if only(COMMANDS) {
        FieldKey::Commands
    } else if words.first().is_some_and(|word| is_in(WIDENS, word))
        || words
            .last()
            .is_some_and(|word| is_in(SELECTS, without_count(word)))
    {
        FieldKey::Selects
    } else {
        FieldKey::Unknown
    }
}

/// Whether a list of words with blanks between them has a word.
pub(super) fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|own| own == word)
}

/// `page2`, `id_1`: the same word, counted.
fn without_count(word: &str) -> &str {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.is_empty() { word } else { bare }
}

/// What a query of documents may say that only reads.
const OPERATORS: &str = "\
    abs add addFields all and arrayElemAt avg bucket ceil concat cond count date \
    dateToString divide each elemMatch eq exists expr facet filter first floor group gt gte \
    ifNull in last limit literal lookup lt lte map match max meta min mod month multiply ne \
    near nin nor not oid options or project push regex round sample search size skip slice \
    sort sortByCount split substr subtract sum switch text toLower toString toUpper type \
    unwind year";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_whether_a_tool_still_reads() {
        for (keys, expected) in [
            (
                "id page_size maxResults repo_full_name issueNumber start_date sort_by_updated \
                 channel_types context7CompatibleLibraryID include_archived_channels $match",
                FieldKey::Selects,
            ),
            (
                "apply set exec force auto_approve args overwrite",
                FieldKey::Commands,
            ),
            ("method verb http_method operation", FieldKey::Names),
            (
                "dry_run dryRun read_only preview validate_check",
                FieldKey::Holds,
            ),
            (
                "zzqx frobnicate $out $merge $where $function",
                FieldKey::Unknown,
            ),
        ] {
            for key in keys.split_whitespace() {
                assert_eq!(of(key), expected, "{key}");
            }
        }
    }
}
