create schema planted;
grant usage on schema planted to public;

-- A copy of every function, which counts that it was called (track_functions) and then does what the original does. It sets
-- something, so that the planner does not put its body in the place of the call, which would not be counted. What
-- takes "any" or an internal type cannot be written in SQL, so not by an attacker either.
do $plant$
declare
	f record;
begin
	set local check_function_bodies = off;
	for f in
		select p.oid, p.proname, p.pronargs, p.provariadic <> 0 as variadic,
			pg_catalog.pg_get_function_arguments(p.oid) as arguments, pg_catalog.pg_get_function_result(p.oid) as result,
			(select pg_catalog.string_agg(case when p.provariadic <> 0 and n = p.pronargs then 'variadic ' else '' end || '$' || n, ', ' order by n)
				from pg_catalog.generate_series(1, p.pronargs) n) as passed
		from pg_catalog.pg_proc p
		where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
			and not exists (select from pg_catalog.unnest(pg_catalog.array_append(p.proargtypes::oid[], p.prorettype)) a
				join pg_catalog.pg_type y on y.oid = a
				where y.typtype = 'p' and y.typname not in ('anyelement', 'anyarray', 'anynonarray', 'anycompatible', 'anycompatiblearray', 'record', 'void', 'trigger'))
	loop
		begin
			execute pg_catalog.format('create function planted.%I(%s) returns %s language sql set jit = off as %L', f.proname, f.arguments, f.result,
				pg_catalog.format('select * from pg_catalog.%I(%s)', f.proname, coalesce(f.passed, '')));
		exception when others then
			raise debug 'not planted: %: %', f.oid::regprocedure, sqlerrm;
		end;
	end loop;
end $plant$;

-- Every operator, over a copy of its function, whose name tells which operator it was.
do $plant$
declare
	o record;
begin
	for o in
		select p.oprname, p.oid, p.oprleft::regtype as l, p.oprright::regtype as r, p.oprresult::regtype as result
		from pg_catalog.pg_operator p
		where p.oprnamespace = 'pg_catalog'::regnamespace and p.oprcode <> 0
	loop
		begin
			execute pg_catalog.format('create function planted.%I(%s %s) returns %s language sql set jit = off as %L', 'operator ' || o.oprname,
				case when o.l <> 0 then o.l || ', ' else '' end, o.r, o.result,
				case when o.l <> 0 then pg_catalog.format('select $1 operator(pg_catalog.%s) $2', o.oprname)
					else pg_catalog.format('select operator(pg_catalog.%s) $1', o.oprname) end);
			execute pg_catalog.format('create operator planted.%s (function = planted.%I, %s rightarg = %s)', o.oprname, 'operator ' || o.oprname,
				case when o.l <> 0 then 'leftarg = ' || o.l || ', ' else '' end, o.r);
		exception when others then
			raise debug 'not planted: %: %', o.oid::regoperator, sqlerrm;
		end;
	end loop;
end $plant$;

-- The aggregates that are used most.
do $plant$
declare
	a text;
begin
	create function planted."aggregate count"(n int8) returns int8 language sql as 'select n operator(pg_catalog.+) 1';
	create aggregate planted.count(*) (sfunc = planted."aggregate count", stype = int8, initcond = '0');
	foreach a in array array['int4', 'int8', 'float8', 'numeric', 'pg_catalog.text', 'timestamptz'] loop
		execute pg_catalog.format('create function planted."aggregate"(l %1$s, r %1$s) returns %1$s language sql as ''select coalesce(r, l)''', a);
		execute pg_catalog.format('create aggregate planted.sum(%1$s) (sfunc = planted."aggregate", stype = %1$s)', a);
		execute pg_catalog.format('create aggregate planted.max(%1$s) (sfunc = planted."aggregate", stype = %1$s)', a);
		execute pg_catalog.format('create aggregate planted.min(%1$s) (sfunc = planted."aggregate", stype = %1$s)', a);
	end loop;
end $plant$;

-- Every type, as a domain whose check counts who casts to it; and one of its own with a cast that calls a function.
do $plant$
declare
	y record;
begin
	for y in
		select typname, pg_catalog.format_type(oid, null) as name from pg_catalog.pg_type
		where typnamespace = 'pg_catalog'::regnamespace and typtype = 'b' and typelem = 0 and typname !~ '^_' and typname <> 'bpchar'
	loop
		execute pg_catalog.format('create function planted.%I(v %s) returns boolean language plpgsql as ''begin return true; end''', 'type ' || y.typname, y.name);
		execute pg_catalog.format('create domain planted.%I as pg_catalog.%1$I check (planted.%I(value))', y.typname, 'type ' || y.typname);
	end loop;
	drop domain planted.regrole;
	create type planted.regrole as enum ('postgres');
	create function planted."cast to regrole"(v oid) returns planted.regrole language plpgsql as 'begin return ''postgres''; end';
	create cast (oid as planted.regrole) with function planted."cast to regrole"(oid) as implicit;
end $plant$;

-- Every view and every table.
do $plant$
declare
	c record;
begin
	for c in
		select relname from pg_catalog.pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind in ('r', 'v')
	loop
		execute pg_catalog.format('create function planted.%I() returns boolean language plpgsql as ''begin return true; end''', 'view ' || c.relname);
		begin
			execute pg_catalog.format('create view planted.%I as select * from pg_catalog.%1$I where planted.%I()', c.relname, 'view ' || c.relname);
		exception when others then
			raise debug 'not planted: %: %', c.relname, sqlerrm;
		end;
	end loop;
end $plant$;

-- In public: what fits the arguments of our statements better than what the system has. The types are those whose values
-- are held against each other without a cast, for want of an operator for just the two of them.
create function public.format(f text, a name, b name) returns text language sql as 'select pg_catalog.format($1, $2, $3)';
create function public.format(f text, a text, b text) returns text language sql as 'select pg_catalog.format($1, $2, $3)';
do $plant$
declare
	o text;
	l text;
	r text;
begin
	foreach o in array array['+', '-', '*', '/', '=', '<>', '<', '>', '<=', '>=', '||'] loop
		foreach l in array array['float8', 'int8', 'int4', 'numeric', 'name', 'text', 'oid', 'regclass'] loop
			foreach r in array array['float8', 'int8', 'int4', 'numeric', 'name', 'text', 'oid', 'regclass'] loop
				continue when exists (select from pg_catalog.pg_operator p where p.oprname = o and p.oprleft = l::regtype and p.oprright = r::regtype);
				execute pg_catalog.format('create function public.%I(%s, %s) returns %s language plpgsql as %L', 'operator ' || o, l, r,
					case when o in ('+', '-', '*', '/') then 'float8' when o = '||' then 'text' else 'boolean' end,
					pg_catalog.format('begin return $1::text::%1$s operator(pg_catalog.%2$s) $2::text::%1$s; end',
						case when o in ('+', '-', '*', '/') then 'float8' else 'text' end, o));
				execute pg_catalog.format('create operator public.%s (function = public.%I, leftarg = %s, rightarg = %s)', o, 'operator ' || o, l, r);
			end loop;
		end loop;
	end loop;
end $plant$;

do $plant$
begin
	execute pg_catalog.format('alter database %I set search_path = planted, pg_catalog, public', current_database());
	execute pg_catalog.format('alter database %I set track_functions = ''all''', current_database());
	execute pg_catalog.format('alter role %I in database %I set search_path = planted, pg_catalog, public', current_user, current_database());
end $plant$;
select pg_catalog.pg_stat_reset();
