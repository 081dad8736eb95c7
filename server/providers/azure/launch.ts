import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchRequest } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { AzureCalls } from "./client.ts";
import { failureOf } from "./errors.ts";
import { type AzureVm, failureIn, LAUNCH_TAG, launchSum, virtualMachineOf, zonesOf } from "./mapper.ts";
import { type MachineRef, machineNameOf } from "./names.ts";
import type { ParsedAzureSettings } from "./settings.ts";
import { throwawayPublicKey } from "./throwaway-key.ts";

/** What waits on the clock of the machine, which no test should have to. */
type Wait = Pick<ParsedAzureSettings, "allocationWatchMs" | "allocationPollMs">;

/**
 * Makes a machine by its name and looks for some seconds whether Azure finds room for it. Null: it exists, but Azure does
 * not show it yet.
 * @throws DriverError insufficient_capacity and the like, when nothing is left of what was begun
 */
export async function launchMachine(
	calls: AzureCalls,
	request: LaunchRequest,
	settings: ParsedAzureSettings,
	/** Where it is made; what was asked for is known by the request's own. */
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
	// A name that was taken before may stand for something else; one that was made just now has our sum.
	if (found.tags[LAUNCH_TAG] !== launchSum(request)) {
		throw new DriverError("token_mismatch", `Azure: a machine with the name ${ref.name} exists and was asked for otherwise`, {
			providerCode: "PreconditionFailed",
		});
	}
	const failure = failureIn(found);
	if (failure === null) return found;
	await removeRemains(calls, ref, settings);
	throw failureOf(failure.code, failure.message, `launch of ${request.instanceType} in ${request.region}`);
}

/** The name is taken: by ours of an earlier call, or by one that is being deleted. */
function isTaken(error: unknown): boolean {
	return error instanceof DriverError && (error.providerCode === "PreconditionFailed" || error.providerCode === "Conflict");
}

/** Looks until Azure has found room or not, or until the time for looking is over. */
async function settled(calls: AzureCalls, ref: MachineRef, { allocationWatchMs, allocationPollMs }: Wait): Promise<AzureVm | null> {
	const until = performance.now() + allocationWatchMs;
	for (;;) {
		const found = await calls.get(ref);
		if (found?.provisioningState !== "Creating" || performance.now() + allocationPollMs > until) return found;
		await sleep(allocationPollMs);
	}
}

/**
 * A machine for which there was no room costs nothing, but its name, its disk and its network interface are there. Only
 * when they no longer exist is it true that nothing was made.
 * @throws DriverError transient when that takes too long; the same call then finds what is left
 */
async function removeRemains(calls: AzureCalls, ref: MachineRef, { allocationWatchMs, allocationPollMs }: Wait): Promise<void> {
	await calls.delete(ref);
	const until = performance.now() + allocationWatchMs;
	while ((await calls.get(ref)) !== null) {
		if (performance.now() > until) {
			throw new DriverError("transient", `Azure: there was no room for ${ref.name}, and its remains are still being deleted`, {
				providerCode: "RemainsBeingDeleted",
			});
		}
		await sleep(allocationPollMs);
	}
}
