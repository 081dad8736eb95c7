import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { ParsedGcpSettings } from "../settings.ts";
import type { FetchJson } from "./catalogue.ts";
import { LivePrices } from "./live-prices.ts";

const GOOGLE = "https://cloudbilling.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/cloud-billing.readonly";
/** Google changes prices at most daily, and spot prices by experience once a month. */
const EVERY_MS = 6 * HOUR_MS;
const RETRY_MS = 15 * MINUTE_MS;

/** Where a site's live prices come from: a copy of the catalogue, Google's own, or (null) nowhere: the snapshot holds. */
export function openPrices({ priceEndpoint, livePrices, endpoint }: ParsedGcpSettings): LivePrices | null {
	const times = { everyMs: EVERY_MS, retryMs: RETRY_MS };
	if (priceEndpoint !== undefined) return new LivePrices({ endpoint: priceEndpoint, fetchJson: fetchOpenly, ...times });
	// An emulated project has no business with Google's catalogue.
	if (!livePrices || endpoint !== undefined) return null;
	return new LivePrices({ endpoint: GOOGLE, fetchJson: googleFetch(), ...times });
}

const fetchOpenly: FetchJson = async (url, signal) => {
	const answer = await fetch(url, { signal });
	if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
	return answer.json();
};

/** With the process's Google credentials: the SDK of Compute Engine is asked for its library of credentials alone. */
function googleFetch(): FetchJson {
	let auth: { fetch(url: string, options: { signal: AbortSignal }): Promise<{ data: unknown }> } | null = null;
	return async (url, signal) => {
		auth ??= new (await import("@google-cloud/compute")).ZonesClient({ fallback: true, scopes: [SCOPE] }).auth;
		return (await auth.fetch(url, { signal })).data;
	};
}
