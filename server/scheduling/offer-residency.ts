import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import { canBeStored } from "./copy-ahead.ts";
import type { Removal } from "./removal.ts";
import { outsideResidency } from "./residency.ts";
import type { Snapshot } from "./types.ts";

/** Places that hold a copy of a data set, by its uri, and places with a store that it can be copied into. */
export type Copies = Pick<NonNullable<Snapshot["data"]>, "replicas" | "stores" | "sources">;

/** Constraints on `file:` sets: known copies elsewhere, and places where copies can be made. Null if every machine can read them. */
export function copiesOf({ data }: Pick<Snapshot, "data">): Copies | null {
	return data?.filesStayHome ? data : null;
}

/** Whether they are equal, by the identity of their contents. */
export function sameCopies(a: Copies | null, b: Copies | null): boolean {
	return a?.replicas === b?.replicas && a?.stores === b?.stores && a?.sources === b?.sources;
}

/** Whether only a host of the owned sites can read it. */
export function isAtHome({ uri }: DataRef): boolean {
	return uri.startsWith("file:");
}

/** Hard rules that no policy has to repeat; each region is checked once. */
export function residencyOf(spec: JobSpec, copies: Copies | null): (row: { placeKey: string; offer: Offer }) => Removal | null {
	if (spec.data.every((d) => d.residency.length === 0 && !isAtHome(d))) return () => null;
	const known = new Map<string, Removal | null>();
	return ({ placeKey, offer }) => {
		let removal = known.get(placeKey);
		if (removal === undefined) {
			removal = removalAt(spec.data, offer, copies, placeKey);
			known.set(placeKey, removal);
		}
		return removal;
	};
}

function removalAt(data: readonly DataRef[], { provider, region }: Offer, copies: Copies | null, place: string): Removal | null {
	const outside = outsideResidency(data, provider, region);
	if (outside) return { ruleId: null, why: "residency", facts: { residency: outside.join(", "), region } };
	const reached = (d: DataRef, known: Copies): boolean =>
		(known.replicas.get(d.uri)?.includes(place) ?? false) || canBeStored(d.uri, place, known);
	const atHome = copies && data.find((d) => isAtHome(d) && !reached(d, copies));
	return atHome ? { ruleId: null, why: "data_at_home", facts: { uri: atHome.uri } } : null;
}
