import type { Machine } from "../book/records.ts";
import { Ec2Error } from "../ec2-error.ts";
import { visibleMachine, type World } from "../world.ts";

const MAX_IDS = 1_000;

/**
 * Returns the named machines without duplicates.
 * @throws Ec2Error InvalidInstanceID.Malformed, InvalidInstanceID.NotFound
 */
export function requireMachines(world: World, region: string, ids: readonly string[]): Machine[] {
	if (ids.length > MAX_IDS) throw new Ec2Error("InvalidRequest", `A request may name ${MAX_IDS} instances.`);
	const unique = [...new Set(ids)];
	const malformed = unique.find((id) => !/^i-[0-9a-f]{8}([0-9a-f]{9})?$/.test(id));
	if (malformed !== undefined) throw new Ec2Error("InvalidInstanceID.Malformed", `Invalid id: "${malformed}" (expecting "i-...")`);
	const machines = unique.map((id) => visibleMachine(world, region, id));
	const missing = unique.filter((_, i) => machines[i] === undefined);
	if (missing.length === 1) throw new Ec2Error("InvalidInstanceID.NotFound", `The instance ID '${missing[0]}' does not exist`);
	if (missing.length > 1) throw new Ec2Error("InvalidInstanceID.NotFound", `The instance IDs '${missing.join(", ")}' do not exist`);
	return machines.filter((machine) => machine !== undefined);
}

/** Ends a dry run. */
export function stopDryRun(dryRun: boolean | undefined): void {
	if (dryRun) throw new Ec2Error("DryRunOperation");
}
