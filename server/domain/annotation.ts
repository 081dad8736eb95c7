import { z } from "zod";
import { microToUsdText } from "../kernel/money.ts";
import { MINUTE_MS } from "../kernel/units.ts";

export const ANNOTATION_KINDS = ["policy", "budget", "price", "site", "region"] as const;
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** A change that explains a step in a chart. */
export interface Annotation {
	id: string;
	atMs: number;
	kind: AnnotationKind;
	text: string;
}

/** An audit log entry. */
export interface AuditFact {
	id: number;
	atMs: number;
	action: string;
	subject: string;
	before: unknown;
	after: unknown;
}

export interface SiteFact {
	id: number;
	atMs: number;
	name: string;
	healthy: boolean;
}

/** A cloud attempt that ended because its machine disappeared. */
export interface LostFact {
	attemptId: string;
	atMs: number;
	site: string;
	region: string;
}

/** This many lost attempts in one region, each within REGION_LOST_MS of the one before, are marked as a lost region. */
const REGION_LOST_MIN = 3;
const REGION_LOST_MS = 15 * MINUTE_MS;

/** Audit log actions that charts mark, by kind. */
export const ANNOTATED_ACTIONS = {
	policy: ["policy.publish", "policy.rollback"],
	budget: ["budget.change_cap", "budget.add"],
	price: ["pool.price", "rate_card.set", "discounts.set", "commitments.set"],
} as const satisfies Partial<Record<AnnotationKind, readonly string[]>>;

const version = z.object({ version: z.number() });
const cap = z.object({ capMicroUsd: z.string().regex(/^\d+$/) });
const pool = z.object({ microUsdPerGpuHour: z.string().regex(/^\d+$/) });
const usd = (micro: string): string => `$${Number(microToUsdText(BigInt(micro))).toLocaleString("en-US")}`;

/** Chart marks, oldest first. A site's recovery is marked only if its failure is too, since a new site also becomes healthy. */
export function toAnnotations(lines: readonly AuditFact[], sites: readonly SiteFact[]): Annotation[] {
	const changes = lines.flatMap((line): Annotation[] => {
		const kind = kindOf(line.action);
		return kind ? [{ id: `audit-${line.id}`, atMs: line.atMs, kind, text: textOf(line) }] : [];
	});
	const failed = (site: SiteFact) => sites.some(({ name, healthy, atMs }) => name === site.name && !healthy && atMs <= site.atMs);
	const health = sites
		.filter((site) => !site.healthy || failed(site))
		.map(({ id, atMs, name, healthy }): Annotation => {
			return { id: `event-${id}`, atMs, kind: "site", text: healthy ? `${name} is healthy again` : `${name} is unhealthy` };
		});
	return [...changes, ...health].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

/** Regions that lost several attempts at about the same time, oldest first. */
export function findLostRegions(lost: readonly LostFact[]): Annotation[] {
	const regions = Map.groupBy(lost, ({ site, region }) => `${site} ${region}`);
	return [...regions]
		.flatMap(([place, facts]) => burstsOf(facts).map((burst) => ({ place, burst })))
		.flatMap(({ place, burst }): Annotation[] => {
			const [first] = burst;
			if (!first || burst.length < REGION_LOST_MIN) return [];
			const text = `${place} lost ${burst.length} running attempts`;
			return [{ id: `lost-${first.attemptId}`, atMs: first.atMs, kind: "region", text }];
		})
		.sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

function burstsOf(facts: readonly LostFact[]): LostFact[][] {
	const bursts: LostFact[][] = [];
	for (const fact of facts.toSorted((a, b) => a.atMs - b.atMs || (a.attemptId < b.attemptId ? -1 : 1))) {
		const burst = bursts.at(-1);
		const last = burst?.at(-1);
		if (burst && last && fact.atMs - last.atMs <= REGION_LOST_MS) burst.push(fact);
		else bursts.push([fact]);
	}
	return bursts;
}

function kindOf(action: string): AnnotationKind | null {
	for (const [kind, actions] of Object.entries(ANNOTATED_ACTIONS))
		if ((actions as readonly string[]).includes(action)) return kind as AnnotationKind;
	return null;
}

function textOf({ action, subject, before, after }: AuditFact): string {
	const published = version.safeParse(after).data;
	switch (action) {
		case "policy.publish":
			return `Policy ${subject}${published ? ` v${published.version}` : ""} published`;
		case "policy.rollback":
			return `Policy ${subject} rolled back${published ? ` to v${published.version}` : ""}`;
		case "budget.change_cap": {
			const [from, to] = [cap.safeParse(before).data, cap.safeParse(after).data];
			return `Budget ${subject}: cap ${from && to ? `${usd(from.capMicroUsd)} to ${usd(to.capMicroUsd)}` : "changed"}`;
		}
		case "budget.add": {
			const added = cap.safeParse(after).data;
			return `Budget ${subject} added${added ? `: cap ${usd(added.capMicroUsd)}` : ""}`;
		}
		case "pool.price": {
			const price = pool.safeParse(after).data;
			return `Pool ${subject}: ${price ? `${usd(price.microUsdPerGpuHour)} per GPU-hour` : "price changed"}`;
		}
		case "rate_card.set":
			return `Pool ${subject}: rate card changed`;
		case "discounts.set":
			return "Cloud discounts changed";
		default:
			return "Commitments changed";
	}
}
