import { setTimeout as sleep } from "node:timers/promises";
import type { AzureCalls } from "./client.ts";
import { failureOf } from "./errors.ts";
import { failureIn, isAllocated } from "./mapper.ts";
import type { MachineRef } from "./names.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/**
 * Starts a deallocated machine and watches for some seconds whether Azure allocates it. One that could not be allocated stays deallocated.
 * @throws DriverError insufficient_capacity and similar
 */
export async function startMachine(
	calls: AzureCalls,
	ref: MachineRef,
	{ allocationWatchMs, allocationPollMs }: Pick<ParsedAzureSettings, "allocationWatchMs" | "allocationPollMs">,
): Promise<void> {
	await calls.start(ref);
	const until = performance.now() + allocationWatchMs;
	for (;;) {
		const found = await calls.get(ref);
		const failure = found && failureIn(found);
		if (failure) throw failureOf(failure.code, failure.message, `start of ${ref.name}`);
		if (!found || isAllocated(found) || performance.now() + allocationPollMs > until) return;
		await sleep(allocationPollMs);
	}
}
