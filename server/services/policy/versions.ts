import { and, desc, eq, inArray, lt } from "drizzle-orm";
import type { z } from "zod";
import { versionInput, versionsInput } from "#server/contract/inputs/policy.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { policy, policyPublication, policyVersion } from "#server/db/schema/policy.ts";
import type { PolicyManagedBy, PolicyOrigin } from "#server/domain/policy-version.ts";
import { describePolicy } from "#server/policy/describe-rule.ts";
import type { Description } from "#server/policy/description.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { namesOf } from "#server/services/core/people.ts";
import { etagOf } from "./entity-tag.ts";
import { fetchVersion, knownPointer, readStored, type VersionRow } from "./fetch-version.ts";

/** A change of the version in force. Actors as `account:ID` or `system:part`, each with a display name. */
export interface PublicationView {
	id: string;
	kind: "publish" | "rollback";
	at: string;
	by: string;
	byName: string;
	/** The second person, where one was required. */
	approvedBy: string | null;
	approvedByName: string | null;
	/** The backtest that was reviewed before. */
	backtestId: string | null;
	/** Why it was published in the browser without a finished backtest. */
	noBacktestReason: string | null;
}

export interface VersionView {
	version: number;
	author: string;
	authorName: string;
	message: string;
	createdAt: string;
	/** The version that its author started from. */
	baseVersion: number | null;
	origin: PolicyOrigin | null;
	inForce: boolean;
	/** Oldest first. */
	publications: PublicationView[];
}

export interface PolicyNameView {
	name: string;
	activeVersion: number;
	managedBy: PolicyManagedBy | null;
}

/** The existing policies; the one named default decides. */
export async function listPolicies(ctx: ServiceContext): Promise<PolicyNameView[]> {
	authorize(ctx, "policy:read", null);
	const rows = await ctx.db.select().from(policy).orderBy(policy.name).limit(200);
	return rows.map(({ name, activeVersion, managedBy }) => ({ name, activeVersion, managedBy: managedBy ?? null }));
}

/** Newest first, paged: `nextBefore` is the next page's `before`. */
export async function listVersions(
	ctx: ServiceContext,
	raw: z.input<typeof versionsInput>,
): Promise<{ items: VersionView[]; nextBefore: number | null }> {
	authorize(ctx, "policy:read", null);
	const { name, before, limit } = versionsInput.parse(raw);
	const { activeVersion } = await knownPointer(ctx.db, name);
	const rows = await ctx.db
		.select()
		.from(policyVersion)
		.where(and(eq(policyVersion.name, name), before === undefined ? undefined : lt(policyVersion.version, before)))
		.orderBy(desc(policyVersion.version))
		.limit(limit + 1);
	const page = rows.slice(0, limit);
	const items = await viewsOf(ctx.db, name, page, activeVersion);
	return { items, nextBefore: rows.length > limit ? (page.at(-1)?.version ?? null) : null };
}

export interface VersionDetail extends VersionView {
	name: string;
	source: string;
	etag: string;
	/** Null when a later Spillway can no longer read it. */
	sentences: Description[] | null;
}

/** One version with its text. */
export async function getVersion(ctx: ServiceContext, raw: z.input<typeof versionInput>): Promise<VersionDetail> {
	authorize(ctx, "policy:read", null);
	const { name, version } = versionInput.parse(raw);
	const { activeVersion } = await knownPointer(ctx.db, name);
	const row = await fetchVersion(ctx.db, name, version);
	const [view] = await viewsOf(ctx.db, name, [row], activeVersion);
	if (!view) throw new Error("a row has a view");
	const stored = readStored(row.source);
	return { ...view, name, source: row.source, etag: etagOf(row), sentences: stored && describePolicy(stored) };
}

async function viewsOf(db: DbOrTx, name: string, rows: readonly VersionRow[], activeVersion: number): Promise<VersionView[]> {
	const versions = rows.map((r) => r.version);
	const publications = await db
		.select()
		.from(policyPublication)
		.where(and(eq(policyPublication.name, name), inArray(policyPublication.version, versions)))
		.orderBy(policyPublication.publishedAt, policyPublication.id);
	const nameOf = await namesOf(db, [...rows.map((r) => r.author), ...publications.flatMap((p) => [p.publishedBy, p.approvedBy])]);
	return rows.map((row) => ({
		...{ version: row.version, author: row.author, authorName: nameOf(row.author), message: row.message },
		...{ createdAt: row.createdAt.toISOString(), baseVersion: row.baseVersion, origin: row.origin ?? null },
		inForce: row.version === activeVersion,
		publications: publications
			.filter((p) => p.version === row.version)
			.map((p) => ({
				...{ id: p.id, kind: p.kind, at: p.publishedAt.toISOString(), by: p.publishedBy, byName: nameOf(p.publishedBy) },
				...{ approvedBy: p.approvedBy, approvedByName: p.approvedBy === null ? null : nameOf(p.approvedBy) },
				...{ backtestId: p.backtestId, noBacktestReason: p.noBacktestReason },
			})),
	}));
}
