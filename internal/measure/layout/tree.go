package layout

import (
	"regexp"
	"slices"
	"strconv"
)

// Kind is the kind of a server's file.
type Kind uint8

// All kinds.
const (
	Other    Kind = iota
	Relation      // of a database, or shared
	Map           // free space or visibility
	Temp
	Segment // WAL, and pg_wal's files about it
	Message // of the server's log
)

// File is a file of a server, identified by its name.
type File struct {
	Path     string // below its root
	Kind     Kind
	Database uint32 // of a relation; 0: shared
	Node     uint32 // relfilenode
}

type tree struct {
	kind      Kind
	known     []string         // file names that are looked up without listing the directory
	files     *regexp.Regexp   // names of more files; nil: none
	named     map[string]*tree // directories, by name
	each      *regexp.Regexp   // names of more directories
	eachIs    *tree
	databases bool // more directories are databases, named by OID
}

// relationFile matches a relation's fork or segment; t3_ marks temporary relations.
var relationFile = regexp.MustCompile(`^(?:t\d+_)?(\d{1,10})(_fsm|_vm|_init)?(?:\.\d+)?$`)

func matching(kind Kind, files string) *tree {
	return &tree{kind: kind, files: regexp.MustCompile(files)}
}

// ofRelations is a directory with relations and a database's other files.
func ofRelations(more ...string) *tree {
	return &tree{kind: Relation, files: relationFile, known: append(more, "pg_filenode.map", "pg_filenode.map.tmp",
		"pg_internal.init")}
}

var (
	numbers = regexp.MustCompile(`^[1-9]\d{0,9}$`)
	temps   = &tree{
		kind: Temp, files: regexp.MustCompile(`^pgsql_tmp\d+\.\d+$`),
		each: regexp.MustCompile(`^pgsql_tmp\d+\.\d+\.(shared)?fileset$`), eachIs: matching(Temp, `^`),
	}
	databases = &tree{named: map[string]*tree{"pgsql_tmp": temps}, each: numbers, eachIs: ofRelations("PG_VERSION"),
		databases: true}
	segments = matching(Other, `^[0-9A-F]{4,15}$`) // of an SLRU
	ofWAL    = &tree{
		kind: Segment,
		files: regexp.MustCompile(
			`^([0-9A-F]{24}(\.partial|\.[0-9A-F]{8}\.backup)?|[0-9A-F]{8}\.history|xlogtemp\.\d+|RECOVERYXLOG|RECOVERYHISTORY)$`),
		named: map[string]*tree{
			"archive_status": matching(Segment,
				`^([0-9A-F]{24}(\.partial|\.[0-9A-F]{8}\.backup)?|[0-9A-F]{8}\.history)\.(ready|done)$`),
			"summaries": matching(Segment, `^([0-9A-F]{40}|temp)\.summary$`),
		},
	}
	ofData = &tree{
		known: []string{
			"PG_VERSION", "current_logfiles", "current_logfiles.tmp", "postgresql.conf", "postgresql.auto.conf",
			"postgresql.auto.conf.tmp",
			"pg_hba.conf", "pg_hosts.conf", "pg_ident.conf", "postmaster.opts", "postmaster.pid", "backup_label",
			"backup_label.old", "tablespace_map",
			"tablespace_map.old", "standby.signal", "recovery.signal", "autoprewarm.blocks", "autoprewarm.blocks.tmp",
		},
		named: map[string]*tree{
			"base": databases, "global": ofRelations("pg_control"),
			"pg_xact": segments, "pg_subtrans": segments, "pg_notify": segments, "pg_serial": segments,
			"pg_commit_ts": segments,
			"pg_multixact": {named: map[string]*tree{"members": segments, "offsets": segments}},
			"pg_twophase":  matching(Other, `^([0-9A-F]{8}|[0-9A-F]{16})$`),
			"pg_stat":      matching(Other, `\.(stat|tmp)$`), "pg_stat_tmp": matching(Other, `\.(stat|tmp)$`),
			"pg_snapshots": matching(Other, `^[0-9A-F]{8}-[0-9A-F]{8}-\d+(\.tmp)?$`),
			"pg_dynshmem":  matching(Other, `^mmap\.\d+$`),
			"pg_replslot": {
				each:   regexp.MustCompile(`^[a-z0-9_]{1,63}(\.tmp)?$`),
				eachIs: matching(Other, `^(state(\.tmp)?|xid-\d+-lsn-[0-9A-F]+-[0-9A-F]+\.(spill|snap))$`),
			},
			"pg_logical": {
				known: []string{"replorigin_checkpoint", "replorigin_checkpoint.tmp"},
				named: map[string]*tree{
					"snapshots": matching(Other, `^[0-9A-F]+-[0-9A-F]+\.snap(\.\d+\.tmp)?$`),
					"mappings":  matching(Other, `^map-[0-9a-f]+(-[0-9a-fA-F_]+)+$`),
				},
			},
		},
	}
	anyLog = matching(Message, `\.(log|csv|json)$`)
)

// loggedTo returns a log directory, by log_filename: %-escapes match anything, and csvlog
// and jsonlog have other suffixes.
func loggedTo(name string) *tree {
	if name == "" {
		return anyLog
	}
	text := regexp.MustCompile(`\.log$`).ReplaceAllString(name, "")
	pattern, last := "", 0
	for _, at := range regexp.MustCompile(`%.`).FindAllStringIndex(text, -1) {
		pattern += regexp.QuoteMeta(text[last:at[0]]) + `[^.]+`
		last = at[1]
	}
	return matching(Message, `^`+pattern+regexp.QuoteMeta(text[last:])+`(\.log)?(\.csv|\.json)?$`)
}

// fileOf identifies a file of the directory; false: it is not PostgreSQL's.
func (t *tree) fileOf(name string, database uint32) (f File, ok bool) {
	f = File{Kind: t.kind, Database: database}
	if slices.Contains(t.known, name) {
		if f.Kind == Relation {
			f.Kind = Other
		}
		return f, true
	}
	if t.files == nil {
		return f, false
	}
	if t.kind != Relation {
		return f, t.files.MatchString(name)
	}
	found := relationFile.FindStringSubmatch(name)
	if found == nil {
		return f, false
	}
	if found[2] != "" {
		f.Kind = Map
	}
	node, err := strconv.ParseUint(found[1], 10, 32)
	f.Node = uint32(node)
	return f, err == nil && node > 0
}

// below returns a subdirectory and its database, or nil if it is not PostgreSQL's.
func (t *tree) below(name string, database uint32) (*tree, uint32) {
	if named := t.named[name]; named != nil {
		return named, database
	}
	if t.each == nil || !t.each.MatchString(name) {
		return nil, 0
	}
	if !t.databases {
		return t.eachIs, database
	}
	oid, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return nil, 0
	}
	return t.eachIs, uint32(oid)
}
