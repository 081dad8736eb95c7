import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { ParsedGcpSettings } from "../settings.ts";
import type { FetchJson } from "./catalogue.ts";
import { LivePrices } from "./live-prices.ts";

const GOOGLE = "https://cloudbilling.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/cloud-billing.readonly";
/** Google changes prices at most daily, and spot prices typically once a month. */
const EVERY_MS = 6 * HOUR_MS;
const RETRY_MS = 15 * MINUTE_MS;

/** Source of a site's live prices: a copy of the catalog, Google's own, or null: use the snapshot. */
export function openPrices({ priceEndpoint, livePrices, endpoint, credentials }: ParsedGcpSettings): LivePrices | null {
	const times = { everyMs: EVERY_MS, retryMs: RETRY_MS };
	if (priceEndpoint !== undefined) return new LivePrices({ endpoint: priceEndpoint, fetchJson: fetchOpenly, ...times });
	if (!livePrices) return null;
	// An emulated project does not use Google's catalog, because the emulator has its own.
	if (endpoint !== undefined) return new LivePrices({ endpoint: new URL(endpoint).origin, fetchJson: fetchOpenly, ...times });
	return new LivePrices({ endpoint: GOOGLE, fetchJson: googleFetch(credentials), ...times });
}

const fetchOpenly: FetchJson = async (url, signal) => {
	const answer = await fetch(url, { signal });
	if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
	return answer.json();
};

/** Uses the site's Google credentials, or the process's. Only the credentials library of the Compute Engine SDK is needed. */
function googleFetch(credentials: ParsedGcpSettings["credentials"]): FetchJson {
	let auth: { fetch(url: string, options: { signal: AbortSignal }): Promise<{ data: unknown }> } | null = null;
	return async (url, signal) => {
		auth ??= new (await import("@google-cloud/compute/build/src/v1/zones_client.js")).ZonesClient({
			fallback: true,
			scopes: [SCOPE],
			...(credentials && { credentials }),
		}).auth;
		return (await auth.fetch(url, { signal })).data;
	};
}
