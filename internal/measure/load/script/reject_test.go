package script_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/realiops/realiops/internal/measure/load/script"
)

// rejected holds scripts with errors that pgbench also finds when it parses them, and our messages.
var rejected = []struct{ text, want string }{
	{"", `x.sql:1:1: the script has no commands`},
	{"-- nothing\n", `x.sql:1:1: the script has no commands`},
	{"SELECT 1;\n  \\foo bar", `x.sql:2:3: unknown meta-command \foo`},
	{`\set`, `x.sql:1:1: \set: missing variable name`},
	{`\set x`, `x.sql:1:7: \set: unexpected end of command`},
	{"\\set x\n1", `x.sql:1:7: \set: unexpected end of command`},
	{"\\set x 1 +\n", `x.sql:1:11: \set: unexpected end of command`},
	{"\\set x 1 + \\\n * 2", `x.sql:2:2: \set: unexpected "*"`},
	{`\set x 1 2`, `x.sql:1:10: \set: unexpected "2"`},
	{`\set x (1`, `x.sql:1:10: \set: expected ")", found end of command`},
	{`\set x 1)`, `x.sql:1:9: \set: unexpected ")"`},
	{`\set x !1`, `x.sql:1:8: \set: unexpected character "!"`},
	{`\set x 1 ^ 2`, `x.sql:1:10: \set: unexpected character "^"`},
	{`\set x 'a'`, `x.sql:1:8: \set: unexpected character "'"`},
	{`\set x :`, `x.sql:1:8: \set: unexpected character ":"`},
	{`\set x foo(1)`, `x.sql:1:8: \set: unknown function "foo"`},
	{`\set x foo`, `x.sql:1:8: \set: unknown function "foo"`},
	{`\set x abs 1`, `x.sql:1:12: \set: expected "(", found "1"`},
	{`\set x abs()`, `x.sql:1:8: \set: abs takes one argument, found 0`},
	{`\set x abs(1, 2)`, `x.sql:1:8: \set: abs takes one argument, found 2`},
	{`\set x abs(1,)`, `x.sql:1:14: \set: unexpected ")"`},
	{`\set x pi(1)`, `x.sql:1:8: \set: pi takes 0 arguments, found 1`},
	{`\set x least()`, `x.sql:1:8: \set: least needs at least one argument`},
	{`\set x hash()`, `x.sql:1:8: \set: hash takes 1 or 2 arguments, found 0`},
	{`\set x permute(1)`, `x.sql:1:8: \set: permute takes 2 or 3 arguments, found 1`},
	{`\set x random(1)`, `x.sql:1:8: \set: random takes 2 arguments, found 1`},
	{`\set x random_zipfian(1, 2)`, `x.sql:1:8: \set: random_zipfian takes 3 arguments, found 2`},
	{`\set x 9223372036854775808`, `x.sql:1:8: \set: unexpected "9223372036854775808"`},
	{`\set x 1 - 9223372036854775808`, `x.sql:1:12: \set: unexpected "9223372036854775808"`},
	{`\set x 9223372036854775809`, `x.sql:1:8: \set: bigint constant overflow: 9223372036854775809`},
	{`\set x 1e400`, `x.sql:1:8: \set: double constant overflow: 1e400`},
	{`\set x 1e-310`, `x.sql:1:8: \set: double constant overflow: 1e-310`},
	{`\set x 1e`, `x.sql:1:9: \set: unexpected "e"`},
	{`\set x 1 < 2 < 3`, `x.sql:1:14: \set: comparisons cannot be chained; put one in parentheses`},
	{`\set x 1 = 2 <> 3`, `x.sql:1:14: \set: comparisons cannot be chained; put one in parentheses`},
	{`\set x 1 is 2`, `x.sql:1:13: \set: expected null, true or false after is, found "2"`},
	{`\set x case 1 end`, `x.sql:1:13: \set: expected "when", found "1"`},
	{`\set x case when 1 end`, `x.sql:1:20: \set: expected "then", found "end"`},
	{`\set x case when 1 then 2`, `x.sql:1:26: \set: expected "end", found end of command`},
	{`\set x case end`, `x.sql:1:13: \set: expected "when", found "end"`},
	{`\set x and`, `x.sql:1:8: \set: unexpected "and"`},
	{"SELECT 1;\n\\if\nSELECT 1;\n\\endif", `x.sql:2:4: \if: unexpected end of command`},
	{"\\if 1\nSELECT 1;", `x.sql:1:1: \if: no matching \endif`},
	{"SELECT 1;\n\\if 1\n\\if 2\n\\endif", `x.sql:2:1: \if: no matching \endif`},
	{"SELECT 1;\n\\endif", `x.sql:2:1: \endif: no matching \if`},
	{"\\else", `x.sql:1:1: \else: no matching \if`},
	{"\\elif 1", `x.sql:1:1: \elif: no matching \if`},
	{"\\if 1\n\\else\n\\else\n\\endif", `x.sql:3:1: \else: not allowed after the \else in line 2`},
	{"\\if 1\n\\else\n\\elif 1\n\\endif", `x.sql:3:1: \elif: not allowed after the \else in line 2`},
	{"\\if 1\n\\else 1\n\\endif", `x.sql:2:1: \else: unexpected argument "1"`},
	{`\sleep`, `x.sql:1:1: \sleep: missing time`},
	{`\sleep x`, `x.sql:1:1: \sleep: invalid time "x", must be an integer`},
	{`\sleep 1 m`, `x.sql:1:1: \sleep: unrecognized time unit "m", must be us, ms or s`},
	{`\sleep 1.5`, `x.sql:1:1: \sleep: unrecognized time unit ".5", must be us, ms or s`},
	{`\sleep 1x s`, `x.sql:1:1: \sleep: invalid time "1x", must be an integer`},
	{`\sleep 1 s s`, `x.sql:1:1: \sleep: unexpected argument "s"`},
	{`\gset`, `x.sql:1:1: \gset: must follow an SQL statement`},
	{"\\set x 1\n\\aset", `x.sql:2:1: \aset: must follow an SQL statement`},
	{"SELECT 1 \\gset\n\\gset", `x.sql:2:1: \gset: the statement already has a \gset or \aset`},
	{"SELECT 1 \\gset a b", `x.sql:1:10: \gset: unexpected argument "b"`},
	{`\startpipeline 1`, `x.sql:1:1: \startpipeline: unexpected argument "1"`},
	{`\setshell x`, `x.sql:1:1: \setshell: running shell commands is not supported; ` +
		`run them first, and pass their output with -D`},
	{`\shell`, `x.sql:1:1: \shell: running shell commands is not supported; ` +
		`run them first, and pass their output with -D`},
}

// refused holds scripts that we reject, although pgbench accepts them, or does until they run.
var refused = []struct{ text, want string }{
	{`\shell echo 1`, `x.sql:1:1: \shell: running shell commands is not supported; ` +
		`run them first, and pass their output with -D`},
	{`\set 1x 2`, `x.sql:1:1: \set: invalid variable name "1x"`},
	{`\set x least(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)`,
		`x.sql:1:8: \set: least takes at most 16 arguments, found 17`},
	{"SELECT 1;\nSELECT 'a", `x.sql:2:8: unterminated quoted string`},
	{"SELECT E'a\\'", `x.sql:1:9: unterminated quoted string`},
	{"SELECT \"a;", `x.sql:1:8: unterminated quoted identifier`},
	{"SELECT $x$ $$;", `x.sql:1:8: unterminated dollar-quoted string`},
	{"SELECT 1 /* /* */;", `x.sql:1:10: unterminated comment`},
	{"SELECT 1;\n\nSELECT (1;\nSELECT 2", `x.sql:3:1: unclosed parenthesis in this statement`},
	{`\sleep -`, `x.sql:1:1: \sleep: invalid time "-", must be an integer`},
}

func TestParseNamesTheErrorAndItsPlace(t *testing.T) {
	for _, test := range append(rejected, refused...) {
		_, err := script.NewSet().Parse("x.sql", test.text)
		if err == nil {
			t.Errorf("%q: no error", test.text)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%q: error (-want +got):\n%s", test.text, diff)
		}
	}
}
