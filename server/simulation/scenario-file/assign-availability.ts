import type { Offer } from "#server/domain/capacity.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { matchesGlob } from "#server/policy/match-pattern.ts";
import { fasterAvailability } from "#server/simulation/replay/availability.ts";
import type { Availability } from "#server/simulation/replay/types.ts";
import { parseAvailability } from "./availability-file.ts";
import type { ScenarioContext } from "./context.ts";

/**
 * A recorded trace for each spot offer: the one in `assign`, or one drawn for its zone by the seed, at a drawn offset. All machines of a
 * zone come and go together. Without a file, spot is always available.
 */
export function readAvailability({ doc, seed, read }: ScenarioContext, offers: readonly Offer[]): Map<string, Availability> {
	const given = doc.spec.spotAvailability;
	const chosen = new Map<string, Availability>();
	if (!given) return chosen;
	const at = ["spotAvailability"];
	const { text, name } = read(given.file, [...at, "file"]);
	const all = parseAvailability(text, name);
	const drawn = [...all.values()].filter((trace) => given.traces.some((pattern) => matchesGlob(pattern, trace.traceId)));
	if (drawn.length === 0)
		throw doc.error(
			[...at, "traces"],
			`no trace of ${name} fits ${given.traces.join(", ")}.`,
			"Write a pattern of its trace_id, such as *us-west-2*.",
		);
	const spot = offers.filter((offer) => offer.capacityType === "spot");
	for (const offer of spot) chosen.set(offer.id, drawFor(offer, drawn, seed));
	for (const [i, { offers: pattern, trace: traceId, offset }] of given.assign.entries()) {
		const trace = all.get(traceId);
		if (!trace)
			throw doc.error(
				[...at, "assign", i, "trace"],
				`${name} has no trace ${traceId}.`,
				suggestName(traceId, [...all.keys()].slice(0, 20)),
			);
		const matched = spot.filter((offer) => matchesGlob(pattern, offer.id));
		if (matched.length === 0)
			throw doc.error(
				[...at, "assign", i, "offers"],
				`no spot offer fits ${pattern}.`,
				"Offers are named provider:region:zone:instance type:spot.",
			);
		for (const offer of matched) chosen.set(offer.id, { ...trace, offsetMs: offset % trace.lengthMs });
	}
	if (given.interruptions === 1) return chosen;
	return new Map([...chosen].map(([id, trace]) => [id, fasterAvailability(trace, given.interruptions)]));
}

function drawFor(offer: Offer, traces: readonly Availability[], seed: number): Availability {
	const random = seededRandom(`${seed}/availability/${offer.provider}:${offer.region}:${offer.zone ?? "*"}`);
	const trace = random.pick(traces);
	return { ...trace, offsetMs: random.int(0, trace.lengthMs - 1) };
}
