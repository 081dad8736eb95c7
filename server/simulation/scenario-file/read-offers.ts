import { type Offer, offerId } from "#server/domain/capacity.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { matchesGlob, matchesRegion } from "#server/policy/match-pattern.ts";
import { type Discount, discountOffers } from "#server/scheduling/discount.ts";
import type { ScenarioContext } from "./context.ts";
import { resolveModel } from "./read-pools.ts";
import type { ScenarioSpec } from "./schema.ts";

const SEE = "docs/simulator.md lists what an offer has.";

/** The catalog offers that the scenario selects, and its own. A scenario's own offer replaces the catalog's. */
export function readOffers(ctx: ScenarioContext): Offer[] {
	const offers = new Map(fromCatalog(ctx).map((offer) => [offer.id, offer]));
	const own = new Set<string>();
	for (const [i, given] of ctx.doc.spec.offers.entries()) {
		const offer = ownOffer(ctx, given, i);
		if (own.has(offer.id))
			throw ctx.doc.error(
				["offers", i],
				`there already is an offer ${offer.id}.`,
				"Offers differ in provider, region, zone, instance type or capacity type.",
			);
		own.add(offer.id);
		offers.set(offer.id, offer);
	}
	const sorted = [...offers.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
	return discountOffers(withQuotas(ctx, sorted), ctx.doc.spec.discounts.map(toDiscount));
}

/** The first quota that matches an offer applies to it. */
function withQuotas({ doc, facts }: ScenarioContext, offers: Offer[]): Offer[] {
	const counted = doc.spec.quotas.map((quota, i) => {
		const { accelerator } = quota;
		const models = accelerator === undefined ? null : facts.acceleratorsNamed(accelerator);
		const counts = (offer: Offer): boolean =>
			offer.provider === quota.provider &&
			quota.capacityTypes.some((type) => type === offer.capacityType) &&
			(models === null || models.includes(offer.accelerator)) &&
			quota.regions.some((pattern) => matchesRegion(pattern, offer));
		if (!offers.some(counts)) throw doc.error(["quotas", i], "no offer in this scenario matches, so it would limit nothing.", SEE);
		return counts;
	});
	return offers.map((offer) => {
		const i = counted.findIndex((counts) => counts(offer));
		const limit = doc.spec.quotas[i]?.gpus;
		if (limit === undefined) return offer;
		return { ...offer, quota: { name: `quotas[${i}]`, unit: "gpus", limit, used: 0 }, quotaGpusFree: limit };
	});
}

/** In a scenario, a discount reduces the prices of offers and of price histories. */
function toDiscount({ provider, percent, ...rest }: ScenarioSpec["discounts"][number], i: number): Discount {
	const partsPerMillion = Math.min(999_999, Math.max(1, Math.round(percent * 10_000)));
	return { ...rest, id: `discounts[${i}]`, siteId: provider, partsPerMillion, source: "scenario", fromMs: 0, toMs: null };
}

function fromCatalog({ doc, facts, startMs }: ScenarioContext): Offer[] {
	const wanted = doc.spec.catalog;
	if (!wanted) return [];
	const all = facts.offers(startMs);
	const models = [...new Set(all.map((offer) => offer.accelerator))].sort();
	const accelerators = wanted.accelerators.flatMap((name, i) => {
		const named = facts.acceleratorsNamed(name).filter((model) => models.includes(model));
		if (named.length === 0)
			throw doc.error(["catalog", "accelerators", i], `the catalog has no offer with ${name}.`, suggestName(name, models));
		return named;
	});
	for (const [i, pattern] of wanted.regions.entries()) {
		if (all.some((offer) => matchesRegion(pattern, offer))) continue;
		const known = [...new Set(all.map((offer) => `${offer.provider}:${offer.region}`))];
		throw doc.error(["catalog", "regions", i], `no region in the catalog matches ${pattern}.`, suggestName(pattern, known));
	}
	const chosen = all.filter(
		(offer) =>
			accelerators.includes(offer.accelerator) &&
			wanted.providers.some((provider) => provider === offer.provider) &&
			wanted.capacityTypes.some((type) => type === offer.capacityType) &&
			wanted.regions.some((pattern) => matchesGlob(pattern, `${offer.provider}:${offer.region}`)),
	);
	if (chosen.length > 0) return chosen;
	throw doc.error(
		["catalog"],
		"no offer in the catalog meets all of these conditions.",
		"Allow more providers, regions or capacity types.",
	);
}

function ownOffer({ doc, facts, startMs }: ScenarioContext, given: ScenarioSpec["offers"][number], i: number): Offer {
	const { provider, region, instanceType, capacityType, gpus, vcpus, memoryGiB } = given;
	const zone = given.zone ?? null;
	const accelerator = resolveModel(facts.acceleratorsNamed(given.accelerator), given.accelerator);
	if (accelerator === null)
		throw doc.error(
			["offers", i, "accelerator"],
			`${given.accelerator} may be any of ${facts.acceleratorsNamed(given.accelerator).join(", ")}.`,
			"Name the one that the machine has.",
		);
	const isReserved = capacityType === "reserved";
	if (!isReserved && given.usdPerHour === 0n)
		throw doc.error(["offers", i, "usdPerHour"], "must be an amount of USD, above 0: only reserved capacity may cost nothing more.", SEE);
	if (isReserved && given.instances === undefined)
		throw doc.error(["offers", i], "reserved capacity needs instances: the number of reserved machines.", SEE);
	for (const field of ["instances", "until"] as const)
		if (!isReserved && given[field] !== undefined)
			throw doc.error(["offers", i, field], `${field} is for reserved capacity; ${capacityType} has none.`, SEE);
	return {
		...{ id: offerId({ provider, region, zone, instanceType, capacityType }), siteId: provider },
		...{ provider, region, zone, instanceType, accelerator, gpus, vcpus, memoryGiB, capacityType },
		microUsdPerHour: given.usdPerHour,
		onDemandMicroUsdPerHour: given.onDemandUsdPerHour ?? (capacityType === "on_demand" ? given.usdPerHour : null),
		...{ priceObservedAtMs: startMs, priceSource: "scenario", backoffUntilMs: null, backoffReason: null },
		egressMicroUsdPerGiB: given.egressUsdPerGiB,
		...{ gridGramsPerKwh: given.gridGramsPerKwh ?? null, pue: given.pue ?? null },
		...{ billedMinimumMs: given.billedMinimum, gangs: given.gangs },
		...(isReserved ? { reservedFree: given.instances ?? 0, availableUntilMs: given.until ?? null } : {}),
	};
}
