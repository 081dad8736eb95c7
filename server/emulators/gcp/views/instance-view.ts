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
	return {
		...resource,
		kind: "compute#instance",
		id: instanceId,
		name,
		status: statusOf(machine, world.options.clock()),
		zone: addressOf(world, `zones/${zone}`),
		machineType: addressOf(world, `zones/${zone}/machineTypes/${machineType}`),
		creationTimestamp: googleTime(machine.launchedAtMs),
		...(machine.runningAtMs === null ? {} : { lastStartTimestamp: googleTime(machine.runningAtMs) }),
		selfLink: addressOf(world, `zones/${zone}/instances/${name}`),
		labels: machine.labels,
		networkInterfaces: interfacesOf(machine),
	};
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
