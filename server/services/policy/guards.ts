import { and, desc, eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { policyPublication } from "#server/db/schema/policy.ts";
import type { PolicyManagedBy, PolicyOrigin } from "#server/domain/policy-version.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { PolicyChange } from "#server/policy/diff-policies.ts";
import { namesOf } from "#server/services/core/people.ts";
import { diffTexts } from "./diff.ts";
import { fetchVersion, type PointerRow } from "./fetch-version.ts";

/** @throws SpillwayError `forbidden` where the policy is kept in git and the change comes from elsewhere. */
export function rejectManaged(pointer: PointerRow | null, origin: PolicyOrigin | null): void {
	const managedBy = pointer?.managedBy ?? null;
	if (!pointer || !managedBy) return;
	if (origin?.kind === "git" && origin.repository === managedBy.repository && origin.path === managedBy.path) return;
	const elsewhere = origin?.kind === "git" ? ` This text comes from ${origin.path} in ${origin.repository}.` : "";
	throw new SpillwayError("forbidden", `The policy "${pointer.name}" is managed in Git: ${placeOf(managedBy)}.${elsewhere}`, {
		fix: "Change it there and publish with spillway policy apply --git. To edit it here, unmanage it first.",
	});
}

export function placeOf({ repository, path }: PolicyManagedBy): string {
	return `${path} in ${repository}`;
}

/**
 * Thrown when another version was published since: who, when, and the changes, one sentence per field.
 * @throws SpillwayError `precondition_failed`
 */
export async function rejectStale(db: DbOrTx, pointer: PointerRow | null, baseVersion: number): Promise<void> {
	const active = pointer?.activeVersion ?? 0;
	if (active === baseVersion) return;
	if (!pointer) {
		throw new SpillwayError("precondition_failed", `This change is based on version ${baseVersion}, but no version is published yet.`, {
			fix: "Publish it as the first version: base version 0, or If-None-Match: *.",
		});
	}
	const theirs = await fetchVersion(db, pointer.name, active);
	const [last] = await db
		.select()
		.from(policyPublication)
		.where(and(eq(policyPublication.name, pointer.name), eq(policyPublication.version, active)))
		.orderBy(desc(policyPublication.publishedAt), desc(policyPublication.id))
		.limit(1);
	const by = last?.publishedBy ?? theirs.author;
	const nameOf = await namesOf(db, [by]);
	const at = (last?.publishedAt ?? theirs.createdAt).toISOString();
	const did = last?.kind === "rollback" ? "rolled back to" : "published";
	throw new SpillwayError(
		"precondition_failed",
		`${nameOf(by)} ${did} version ${active} at ${at}; yours began from version ${baseVersion}.`,
		{
			fix: "Merge with it and publish again. Nothing was overwritten.",
			fields: await changesSince(db, pointer.name, baseVersion, theirs.source),
		},
	);
}

const LISTED_MAX = 20;

async function changesSince(db: DbOrTx, name: string, baseVersion: number, source: string) {
	const base = baseVersion === 0 ? null : await fetchVersion(db, name, baseVersion).catch(() => null);
	const changes = (base && diffTexts(base.source, source).changes) ?? [];
	return changes.slice(0, LISTED_MAX).map((change) => {
		const line = change.after?.line ?? null;
		return { path: change.id, message: changeSentence(change), ...(line === null ? {} : { line, column: 1 }) };
	});
}

/** A change as a sentence, e.g. `changed: Burst when …; before: …`. */
export function changeSentence({ kind, before, after }: PolicyChange): string {
	const text = (side: PolicyChange["before"]) => side?.sentence.map((s) => s.text).join("") ?? "";
	if (kind === "changed") return `changed to: ${text(after)} (was: ${text(before)})`;
	return `${kind}: ${text(after ?? before)}`;
}

/** @throws SpillwayError `invalid_input` for a publication in the browser with neither a finished backtest nor a reason. */
export function requireBacktestOrReason(publication: {
	origin: PolicyOrigin | null;
	backtestId: string | null;
	noBacktestReason: string | null;
}): void {
	if (publication.origin?.kind !== "browser" || publication.backtestId !== null || publication.noBacktestReason !== null) return;
	throw new SpillwayError("invalid_input", "This text has no finished backtest.", {
		fix: "Wait for its backtest, or say why you publish without one.",
		fields: [{ path: "noBacktestReason", message: "say why there is no finished backtest" }],
	});
}

/** @throws SpillwayError `invalid_input` for a backtest that is missing, has not finished, or used another text. */
export async function rejectOtherBacktest(db: DbOrTx, name: string, source: string, backtestId: string | null): Promise<void> {
	if (backtestId === null) return;
	const [row] = await db.select().from(backtest).where(eq(backtest.id, backtestId));
	const isOfThis = row?.policyName === name && row.source === source;
	if (isOfThis && row.state === "done") return;
	const what = isOfThis ? `is ${row.state}, not finished` : row ? "was of another text" : "is not there";
	throw new SpillwayError("invalid_input", `The backtest ${backtestId} ${what}, so it does not apply to this text.`, {
		fix: "Run a backtest of this text, or publish without one.",
		fields: [{ path: "backtestId", message: what }],
	});
}
