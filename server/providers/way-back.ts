import { z } from "zod";
import { isOnlyThisHost, isPlainHttpAllowed, isThisHost } from "#server/kernel/hosts.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { PlannedStep } from "./check-steps.ts";

const ANSWER_TIMEOUT_MS = 5 * SECOND_MS;
/** Fields of a control plane's readiness response. */
const readySchema = z.object({ instance: z.string() });

/**
 * The last step of a cloud site's check: whether the address that its machines call can be their control plane. A machine that
 * cannot call back is paid for, never heard from, and given up.
 * @param endpoint the provider's endpoint if it is not the default: emulated machines run on this host
 */
export function controlUrlStep(controlUrl: string, endpoint: string | undefined): PlannedStep {
	return {
		...{ id: "way_back", title: "Route from instances to Spillway" },
		fix: "Put a TLS proxy in front of the web server, set SPILLWAY_URL to the https address that instances can reach, and restart Spillway.",
		async look() {
			const { hostname, protocol } = new URL(controlUrl);
			if (isThisHost(hostname)) {
				if (endpoint !== undefined && isThisHost(new URL(endpoint).hostname))
					return `Emulated instances run on this host and call ${controlUrl}.`;
				return { failed: `Instances would call ${controlUrl}, which only this host can reach.` };
			}
			if (!isPlainHttpAllowed(controlUrl)) return { failed: `Instances would send tokens and logs unencrypted to ${controlUrl}.` };
			const clear = protocol === "http:" ? " This is plain http: tokens, logs and checkpoints are readable within that network." : "";
			const silence = await silenceOf(controlUrl);
			if (silence === null) return `Instances will call ${controlUrl}, which responds as Spillway.${clear}`;
			return {
				unknown: `Instances will call ${controlUrl}, which does not respond as Spillway from here: ${silence}.${clear}`,
				fix: "Check it from the instances' network. If they cannot reach it, they are launched but never report.",
			};
		},
	};
}

/** The step of an owned cluster's check that shows whether its jobs get an address for their metrics. */
export function trackingStep(controlUrl: string): PlannedStep {
	return {
		...{ id: "tracking", title: "Metrics of jobs", fix: "" },
		look: async () =>
			isOnlyThisHost(controlUrl)
				? {
						unknown: `Jobs get no address for the MLflow client, because only this host can reach ${controlUrl}.`,
						fix: "Set SPILLWAY_URL to an address that the nodes can reach, and restart Spillway.",
					}
				: `The MLflow client in jobs logs to ${controlUrl}.`,
	};
}

/** Why the address does not appear to be a control plane's; null if it does. */
async function silenceOf(controlUrl: string): Promise<string | null> {
	try {
		const answer = await fetch(`${controlUrl.replace(/\/+$/, "")}/readyz`, {
			signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
			redirect: "manual",
		});
		const body: unknown = await answer.json().catch(() => null);
		return readySchema.safeParse(body).success ? null : `something else answers there (HTTP ${answer.status})`;
	} catch (error) {
		const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
		return why instanceof Error ? why.message : String(why);
	}
}
