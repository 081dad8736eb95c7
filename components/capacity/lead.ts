import type { inferRouterOutputs } from "@trpc/server";
import { formatMoney } from "#components/money/format-money.ts";
import { formatCount } from "#components/ui/format-number.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import type { OfferView } from "./offers.ts";

export type Site = inferRouterOutputs<AppRouter>["site"]["list"][number];
export type LeadPart = { text: string; strong?: boolean };

const plain = (text: string): LeadPart => ({ text });
const strong = (text: string): LeadPart => ({ text, strong: true });

/** Summarizes owned use, cloud machines and their cost, and the cheapest additional GPU. */
export function prepareCapacityLead(sites: readonly Site[], cheapest: OfferView | null, gpus: number): LeadPart[] {
	return [...home(sites), ...away(sites), ...more(cheapest, gpus)];
}

function home(sites: readonly Site[]): LeadPart[] {
	const pools = sites.flatMap((s) => s.pools);
	const total = pools.reduce((sum, p) => sum + p.gpus, 0);
	if (total === 0) return [strong("No owned GPUs connected. ")];
	const busy = pools.reduce((sum, p) => sum + p.busy, 0);
	const off = pools.reduce((sum, p) => sum + p.unavailable, 0);
	const free = total - busy - off;
	const rest = [free > 0 && busy > 0 ? `${formatCount(free)} free` : "", off > 0 ? `${formatCount(off)} out of service` : ""].filter(
		Boolean,
	);
	const main =
		busy === 0
			? `0 of ${formatCount(total)} owned GPUs busy`
			: busy === total
				? `All ${formatCount(total)} owned GPUs busy`
				: `${formatCount(busy)} of ${formatCount(total)} owned GPUs busy`;
	return [strong(`${main}${rest.length > 0 ? `; ${rest.join(", ")}` : ""}.`), plain(" ")];
}

function away(sites: readonly Site[]): LeadPart[] {
	const clouds = sites.filter((s) => s.kind === "cloud");
	const machines = clouds.reduce((sum, s) => sum + s.instancesLive, 0);
	const burn = clouds.reduce((sum, s) => sum + BigInt(s.burnMicroUsdPerHour), 0n);
	if (clouds.length === 0) return [plain("No cloud account connected. ")];
	if (machines === 0) return [plain("No cloud machines running. ")];
	return [
		plain(`${formatCount(machines)} cloud ${machines === 1 ? "machine" : "machines"} at `),
		strong(`${formatMoney(burn, "price")}/h`),
		plain(". "),
	];
}

function more(cheapest: OfferView | null, gpus: number): LeadPart[] {
	if (!cheapest?.microUsdPerGpuHour || cheapest.priceStale) return [];
	const what = gpus === 1 ? "A GPU" : `A machine with ${gpus} GPUs`;
	return [
		plain(`${what} in the cloud: from `),
		strong(`${formatMoney(cheapest.microUsdPerGpuHour, "price")} per GPU-hour`),
		plain(` (${cheapest.accelerator}).`),
	];
}
