import { setTimeout as sleep } from "node:timers/promises";
import { createMarker } from "./command.ts";
import type { Kills } from "./kills.ts";
import type { World } from "./world.ts";

/** Real time within which a run must become idle after everything is repaired. */
const REST_MS = 600_000;
const LOOK_MS = 150;

/** Ends all faults and kills permanently and restores everything. */
export async function endFaults(world: World, kills: Kills): Promise<void> {
	kills.calm();
	for (const name of ["home-is-free", "hurry"]) createMarker(world.book, name);
	for (const cloud of world.clouds) cloud.clearFaults();
	await kills.allBack();
	for (const cloud of world.clouds) cloud.clearFaults();
	await world.control.start();
	world.log("-- healed");
}

/** Waits until everything is over, up to a limit. Returns what is not over by then. */
export async function waitUntilIdle(world: World): Promise<string[]> {
	const until = performance.now() + REST_MS;
	for (;;) {
		const left = await listUnfinished(world);
		if (left.length === 0 || performance.now() > until) return left;
		await sleep(LOOK_MS);
	}
}

/** Descriptions of everything that is not over yet. */
export async function listUnfinished(world: World): Promise<string[]> {
	const { sql } = world.admin;
	const rows = await sql<{ what: string }[]>`
		select name || ' is ' || state || ' (' || coalesce(reason->>'code', '') || ')' as what from job where finished_at is null
		union all
		select id || ' is ' || state from instance
		where state <> 'terminated' or (billed_from is not null and metered_until is distinct from billed_until)`;
	const machines = world.machines().filter((m) => m.state !== "terminated" && !m.vanished);
	return [...rows.map((r) => r.what), ...machines.map((m) => `${m.provider} ${m.instanceId} is ${m.state}`)];
}
