import { setTimeout as sleep } from "node:timers/promises";
import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import type { ParsedGcpSettings } from "./settings.ts";

/**
 * Creates the policy if it does not exist, and waits until launches can use it.
 * @throws DriverError invalid_request without the right to create it, transient if it is not ready in time
 */
export async function preparePolicy(
	compute: ComputeCalls,
	{ region, name }: { region: string; name: string },
	{ capacityTimeoutMs, operationPollMs }: Pick<ParsedGcpSettings, "capacityTimeoutMs" | "operationPollMs">,
): Promise<void> {
	try {
		await compute.createPlacementPolicy(region, name);
	} catch (error) {
		// A single missing right must not mark the whole site as unhealthy.
		if (!(error instanceof DriverError) || error.kind !== "unauthorized") throw error;
		const rights = "compute.resourcePolicies.create, .get, .list, .delete and .use";
		throw new DriverError("invalid_request", `${error.message}; add ${rights} to the role`, { cause: error });
	}
	const giveUpAt = performance.now() + capacityTimeoutMs;
	while (!(await compute.isPolicyReady(region, name))) {
		if (performance.now() >= giveUpAt) {
			const message = `Google Cloud: placement policy ${name} in ${region} is not ready after ${capacityTimeoutMs} ms; retrying`;
			throw new DriverError("transient", message, { providerCode: "PolicyNotReady" });
		}
		await sleep(operationPollMs);
	}
}
