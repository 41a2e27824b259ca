-- The bare elision protocol for Rumur.  elision.c says what the rules mean.
--
-- PCPUS, VCPUS, CHANGES and CLEARS are put in front as constants, such as
--   const PCPUS: 3;
-- pCPUs and vCPUs are ranges, no scalarsets: states are told apart by name, as
-- Spin tells them.

type
	vcpu: 0 .. VCPUS - 1;
	pcpu: 0 .. PCPUS - 1;
	version: 0 .. CHANGES;
	place: record valid: boolean; on: pcpu; end;
	entry: record valid: boolean; nr: version; end;

var
	at: array [vcpu] of place;
	last: array [vcpu] of place;
	cached: array [pcpu] of entry;
	current: version;
	acked: version;
	asked: array [vcpu] of boolean;
	guest: array [vcpu] of boolean;
	awaited: array [vcpu] of boolean;
	mask: array [pcpu] of boolean;
	changing: boolean;

procedure flush(p: pcpu);
begin
	-- The number of no entry is always 0: it must not tell states apart.
	cached[p].valid := false;
	cached[p].nr := 0;
end;

startstate
begin
	for v: vcpu do
		at[v].valid := false;
		at[v].on := 0;
		last[v].valid := false;
		last[v].on := 0;
		asked[v] := false;
		guest[v] := false;
		awaited[v] := false;
	end;
	for p: pcpu do
		flush(p);
		mask[p] := false;
	end;
	current := 0;
	acked := 0;
	changing := false;
end;

ruleset v: vcpu; p: pcpu do
	rule "load"
		!at[v].valid & (forall w: vcpu do !(at[w].valid & at[w].on = p) end)
	==> begin
		at[v].valid := true;
		at[v].on := p;
		if !last[v].valid | last[v].on != p then
			last[v].valid := true;
			last[v].on := p;
			if !mask[p] then
				mask[p] := true;
				flush(p);
			end;
		end;
	end;
end;

ruleset v: vcpu do
	rule "put"
		at[v].valid & !guest[v]
	==> begin
		at[v].valid := false;
		at[v].on := 0;
	end;

	rule "enter"
		at[v].valid & !guest[v]
	==> begin
		if asked[v] then
			asked[v] := false;
			flush(at[v].on);
		end;
		guest[v] := true;
	end;

	rule "exit"
		guest[v]
	==> begin
		guest[v] := false;
		awaited[v] := false;
	end;

	rule "use"
		guest[v]
	==> begin
		if !cached[at[v].on].valid then
			cached[at[v].on].valid := true;
			cached[at[v].on].nr := current;
		else
			assert cached[at[v].on].nr >= acked "stale";
		end;
	end;
end;

rule "change"
	!changing & current < CHANGES
==> begin
	changing := true;
	current := current + 1;
	for v: vcpu do
		asked[v] := true;
		awaited[v] := guest[v];
	end;
	if CLEARS = 1 then
		for p: pcpu do
			mask[p] := false;
		end;
	end;
end;

rule "ack"
	changing & (forall v: vcpu do !awaited[v] end)
==> begin
	changing := false;
	acked := current;
end;
