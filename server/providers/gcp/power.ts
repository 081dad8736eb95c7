import { setTimeout as sleep } from "node:timers/promises";
import type { MachinePower } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import { operationError } from "./errors.ts";
import { type GceInstance, hasCapacity, observationOf } from "./mapper.ts";
import { readProviderId } from "./names.ts";
import { failureOf } from "./operations.ts";
import type { ParsedGcpSettings } from "./settings.ts";

/** Stops machines and starts them again; not the hosts of TPU slices. */
export function powerOf(compute: ComputeCalls, settings: Pick<ParsedGcpSettings, "capacityTimeoutMs" | "operationPollMs">): MachinePower {
	return {
		async stop(_region, providerInstanceId) {
			const { zone, machine, state } = await findPowered(compute, providerInstanceId);
			if (state !== "stopping" && state !== "stopped") await compute.stopInstance(zone, machine.id);
		},
		async start(_region, providerInstanceId) {
			const { zone, machine, state } = await findPowered(compute, providerInstanceId);
			if (state === "stopping") {
				throw new DriverError("transient", `Google Cloud: start of ${machine.name}: it is still stopping`, {
					providerCode: machine.status,
				});
			}
			if (state === "stopped") await start(compute, { zone, id: machine.id, name: machine.name }, settings);
		},
	};
}

async function findPowered(compute: ComputeCalls, providerInstanceId: string) {
	const ref = readProviderId(providerInstanceId);
	const machine = ref && (await compute.instance(ref.zone, ref.id));
	if (!ref || !machine) throw new DriverError("not_found", `Google Cloud: there is no machine ${providerInstanceId} to stop or start`);
	const { capacityType, state } = observationOf(machine);
	if (capacityType !== "on_demand") {
		throw new DriverError("invalid_request", `Google Cloud: ${machine.name} is ${capacityType}; only on-demand machines are kept stopped`);
	}
	return { zone: ref.zone, machine, state };
}

/** Waits until Google has allocated the machine. Its operation reports missing capacity, and the machine then stays stopped. */
async function start(
	compute: ComputeCalls,
	{ zone, id, name }: Pick<GceInstance, "id" | "name"> & { zone: string },
	{ capacityTimeoutMs, operationPollMs }: Pick<ParsedGcpSettings, "capacityTimeoutMs" | "operationPollMs">,
): Promise<void> {
	const what = `start of ${name} in ${zone}`;
	const giveUpAt = performance.now() + capacityTimeoutMs;
	const placed = await compute.startInstance(zone, id);
	for (let operation = placed; ; operation = await compute.operation(zone, operation.name)) {
		const failure = failureOf(operation);
		if (failure) throw operationError(failure, what);
		if (operation.status === "DONE") return;
		const machine = await compute.instance(zone, id);
		if (machine && hasCapacity(machine) && observationOf(machine).state !== "stopped") return;
		if (performance.now() >= giveUpAt) {
			const message = `Google Cloud: ${what}: no result after ${capacityTimeoutMs} ms; retrying`;
			throw new DriverError("transient", message, { providerCode: "OperationRunning" });
		}
		await sleep(operationPollMs);
	}
}
