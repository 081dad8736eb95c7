import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import { artifactOfUri } from "#server/domain/output.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { openData } from "../data.ts";
import { fitOffers, judgeRows, openOfferBook } from "../offers.ts";
import type { Snapshot } from "../types.ts";
import type { PrewarmEffect } from "./types.ts";

/** Recorded jobs that are considered, newest last. */
const JOBS_MAX = 1_000;
/** An image or a data set is fetched if at least this share of them used it, percent. */
const SHARE_MIN_PERCENT = 25;
/** At most so many images and so many data sets are chosen from recorded jobs. */
const CHOSEN_MAX = 4;

const COSTS_EGRESS = "it is only at places that charge egress: the job fetches it, within its own budgets";
const NOT_ALLOWED = "the policy or its residency does not allow it in this region";

/**
 * What a machine of this offer fetches before it has a job: what the rule names, else what enough recorded jobs used that could run there
 * now. Nothing that costs egress, because no job's budget holds it yet.
 */
export function choosePreparation(
	snapshot: Snapshot,
	{ images, data }: Pick<PrewarmEffect, "images" | "data">,
	{ offer, specs }: { offer: Offer; specs: readonly JobSpec[] },
): PreparedItem[] {
	const mayRun = canRunOn(snapshot, offer);
	const able = specs.slice(-JOBS_MAX).filter(mayRun);
	const place = `${offer.provider}:${offer.region}`;
	const book = openData(snapshot);
	// The size of a set may be unknown, and its price must not be.
	const costsEgress = (ref: DataRef): boolean => book.staging([{ ...ref, sizeGiB: ref.sizeGiB ?? 1 }], place).egressMicroUsd > 0;
	const refs = lastRefs(specs);
	const last = specs.at(-1);
	const dataItem = (uri: string, found: Pick<PreparedItem, "source" | "sharePercent">): PreparedItem => {
		const ref = refs.get(uri) ?? { uri, sizeGiB: null, mount: "data", residency: [] };
		const item = { ...itemOf("data", uri, found), sizeGiB: ref.sizeGiB };
		if (last && !mayRun({ ...last, data: [ref] })) return { ...item, state: "skipped", problem: NOT_ALLOWED };
		return costsEgress(ref) ? { ...item, state: "skipped", problem: COSTS_EGRESS } : item;
	};
	const named = { source: "rule" as const, sharePercent: null };
	const fetchable = ({ data: all }: JobSpec) => all.map(({ uri }) => uri).filter((uri) => !uri.startsWith("file:") && !artifactOfUri(uri));
	return [
		...(images
			? images.map((name) => itemOf("image", name, named))
			: mostUsed(able, ({ image }) => (image === null ? [] : [image])).map(([name, found]) => itemOf("image", name, found))),
		...(data ? data.map((uri) => dataItem(uri, named)) : mostUsed(able, fetchable).map(([uri, found]) => dataItem(uri, found))),
	];
}

function itemOf(kind: PreparedItem["kind"], name: string, found: Pick<PreparedItem, "source" | "sharePercent">): PreparedItem {
	return { kind, name, ...found, sizeGiB: null, state: "pending", bytes: null, digest: null, problem: null };
}

/** Whether hardware, policy and residency let a job run on this offer now. */
function canRunOn(snapshot: Snapshot, offer: Offer): (spec: JobSpec) => boolean {
	const book = openOfferBook({ ...snapshot, offers: [offer] });
	return (spec) => fitOffers(book, spec, judgeRows(book.rows, judgeJob(snapshot.policy, spec)), snapshot.nowMs).eligible.length > 0;
}

/** Each data set as the last job that used it describes it. */
function lastRefs(specs: readonly JobSpec[]): Map<string, DataRef> {
	return new Map(specs.flatMap(({ data }) => data.map((ref) => [ref.uri, ref])));
}

/** Names that enough of these jobs used, most used first, then by name. */
function mostUsed(
	specs: readonly JobSpec[],
	namesOf: (spec: JobSpec) => readonly string[],
): [string, Pick<PreparedItem, "source" | "sharePercent">][] {
	const uses = new Map<string, number>();
	for (const spec of specs) for (const name of new Set(namesOf(spec))) uses.set(name, (uses.get(name) ?? 0) + 1);
	return [...uses]
		.filter(([, count]) => count * 100 >= specs.length * SHARE_MIN_PERCENT)
		.sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
		.slice(0, CHOSEN_MAX)
		.map(([name, count]) => [name, { source: "history", sharePercent: Math.floor((100 * count) / specs.length) }]);
}
