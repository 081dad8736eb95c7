import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchRequest } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { AzureCalls } from "./client.ts";
import { failureOf } from "./errors.ts";
import { type AzureVm, failureIn, LAUNCH_TAG, launchSum, virtualMachineOf, zonesOf } from "./mapper.ts";
import { type MachineRef, machineNameOf } from "./names.ts";
import type { ParsedAzureSettings } from "./settings.ts";
import { throwawayPublicKey } from "./throwaway-key.ts";

/** Waits on the machine's clock, which tests shorten. */
type Wait = Pick<ParsedAzureSettings, "allocationWatchMs" | "allocationPollMs">;

/**
 * Creates a machine by name and watches for some seconds whether Azure allocates it. Returns null if it exists but Azure does not
 * show it yet.
 * @throws DriverError insufficient_capacity and similar, once nothing is left of the attempt
 */
export async function launchMachine(
	calls: AzureCalls,
	request: LaunchRequest,
	settings: ParsedAzureSettings,
	/** Zone of the machine. The hash covers only the request's own zone. */
	zone: string | null,
): Promise<AzureVm | null> {
	const ref = { resourceGroup: settings.resourceGroup, name: machineNameOf(request.instanceId) };
	const key = settings.sshPublicKey ?? (await throwawayPublicKey());
	const made = await calls
		.create(ref, { ...virtualMachineOf(request, settings, key), ...zonesOf(request.region, zone) })
		.catch((error: unknown) => {
			if (isTaken(error)) return null;
			throw error;
		});
	const found = (await settled(calls, ref, settings)) ?? made;
	if (!found) return null;
	// An existing name may belong to another request. A machine of this request has its hash.
	if (found.tags[LAUNCH_TAG] !== launchSum(request)) {
		throw new DriverError("token_mismatch", `Azure: an instance named ${ref.name} already exists from a different request`, {
			providerCode: "PreconditionFailed",
		});
	}
	const failure = failureIn(found);
	if (failure === null) return found;
	await removeRemains(calls, ref, settings);
	throw failureOf(failure.code, failure.message, `launch of ${request.instanceType} in ${request.region}`);
}

/** The name is in use: by our own earlier call, or by a machine that is being deleted. */
function isTaken(error: unknown): boolean {
	return error instanceof DriverError && (error.providerCode === "PreconditionFailed" || error.providerCode === "Conflict");
}

/** Polls until Azure has decided on the allocation, or until the watch time is over. */
async function settled(calls: AzureCalls, ref: MachineRef, { allocationWatchMs, allocationPollMs }: Wait): Promise<AzureVm | null> {
	const until = performance.now() + allocationWatchMs;
	for (;;) {
		const found = await calls.get(ref);
		if (found?.provisioningState !== "Creating" || performance.now() + allocationPollMs > until) return found;
		await sleep(allocationPollMs);
	}
}

/**
 * Removes a machine that could not be allocated. It costs nothing, but its name, its disk and its network interface exist. Only
 * when they are deleted is it true that nothing was created.
 * @throws DriverError transient if that takes too long; a repeated call then finds the rest
 */
async function removeRemains(calls: AzureCalls, ref: MachineRef, { allocationWatchMs, allocationPollMs }: Wait): Promise<void> {
	await calls.delete(ref);
	const until = performance.now() + allocationWatchMs;
	while ((await calls.get(ref)) !== null) {
		if (performance.now() > until) {
			throw new DriverError("transient", `Azure: no capacity for ${ref.name}; its disk and network interface are still being deleted`, {
				providerCode: "RemainsBeingDeleted",
			});
		}
		await sleep(allocationPollMs);
	}
}
