import { privateAddressOf } from "../../shared/private-address.ts";
import type { InstanceRecord } from "../book/records.ts";
import { isObject } from "../wire/check-message.ts";
import { addressOf, type World } from "../world.ts";

/** Google's status for a machine's state. While it is being created, the capacity is allocated before its disk and its boot. */
export function statusOf(machine: InstanceRecord, nowMs: number): string {
	switch (machine.state) {
		case "pending": {
			const { launchedAtMs, bootDueAtMs } = machine;
			return nowMs < (launchedAtMs + bootDueAtMs) / 2 ? "PROVISIONING" : "STAGING";
		}
		case "running":
			return machine.notice ? "STOPPING" : "RUNNING";
		case "stopped":
			return "TERMINATED";
		default:
			return "STOPPING";
	}
}

export function instanceView(world: World, machine: InstanceRecord): Record<string, unknown> {
	const { zone, name, instanceId, resource, machineType } = machine;
	const { started, stopped } = timesOf(machine);
	return {
		...resource,
		kind: "compute#instance",
		id: instanceId,
		name,
		status: statusOf(machine, world.options.clock()),
		zone: addressOf(world, `zones/${zone}`),
		machineType: addressOf(world, `zones/${zone}/machineTypes/${machineType}`),
		creationTimestamp: googleTime(machine.createdAtMs ?? machine.launchedAtMs),
		...(started === null ? {} : { lastStartTimestamp: googleTime(started) }),
		...(stopped === null ? {} : { lastStopTimestamp: googleTime(stopped) }),
		selfLink: addressOf(world, `zones/${zone}/instances/${name}`),
		labels: machine.labels,
		networkInterfaces: interfacesOf(machine),
	};
}

/** When it was started and stopped, most recently. */
function timesOf({ state, runningAtMs, endedAtMs, earlierRuns }: InstanceRecord): { started: number | null; stopped: number | null } {
	const earlier = earlierRuns.at(-1);
	return { started: runningAtMs ?? earlier?.fromMs ?? null, stopped: state === "stopped" ? endedAtMs : (earlier?.toMs ?? null) };
}

function interfacesOf({ resource, instanceId }: InstanceRecord): unknown[] {
	const asked = Array.isArray(resource["networkInterfaces"]) ? resource["networkInterfaces"] : [];
	return asked.map((one: unknown, i) => ({ ...(isObject(one) ? one : {}), name: `nic${i}`, networkIP: privateAddressOf(instanceId) }));
}

/** Google formats its times in the time zone of its head office, with the offset. */
export function googleTime(ms: number): string {
	const offsetMs = 8 * 3_600_000;
	return new Date(ms - offsetMs).toISOString().replace("Z", "-08:00");
}
