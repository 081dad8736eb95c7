import { type Env, lineageUrl, publicUrl } from "#server/env.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import type { LineageReceiver } from "#server/services/work/lineage/send.ts";

const TIMEOUT_MS = 15_000;

/** The OpenLineage receiver in the settings; null if lineage is off. */
export function lineageReceiver(settings: Env): LineageReceiver | null {
	const url = lineageUrl(settings);
	if (url === null) return null;
	return {
		...{ url, apiKey: settings.OPENLINEAGE_API_KEY ?? null, namespace: settings.OPENLINEAGE_NAMESPACE },
		...{ publicUrl: publicUrl(settings), timeoutMs: TIMEOUT_MS },
		allowance: parseAllowance(settings.SPILLWAY_OUTGOING_HOSTS),
	};
}
