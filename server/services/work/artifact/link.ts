import { createHmac, timingSafeEqual } from "node:crypto";
import { eq } from "drizzle-orm";
import { z } from "zod";
import type { linkInput } from "#server/contract/inputs/artifact.ts";
import type { Db } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { customRole } from "#server/db/schema/custom-role.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ITS_CUSTOM_ROLE, personOf } from "#server/services/core/custom-role.ts";
import { type ArtifactFiles, openArtifactFile, type StoredFile } from "./open-file.ts";

const linkFacts = z.strictObject({ artifactId: z.string(), path: z.string(), accountId: z.string(), expiresAtMs: z.number() });
type LinkFacts = z.infer<typeof linkFacts>;

/**
 * A token that downloads one file until it expires, with the rights that its creator has at the time of the download.
 * @param store where the files are; `secretKey` signs the link
 * @throws SpillwayError as `openArtifactFile`; `forbidden` for callers who are not a person
 */
export async function createLink(
	ctx: ServiceContext,
	store: ArtifactFiles & { secretKey: string },
	id: string,
	input: z.output<typeof linkInput>,
): Promise<{ token: string; expiresAt: string }> {
	await openArtifactFile(ctx, store, { id, path: input.path });
	if (ctx.actor.kind !== "person") throw new SpillwayError("forbidden", "Only people create download links.");
	const expiresAtMs = ctx.clock.nowMs() + input.minutes * MINUTE_MS;
	const facts: LinkFacts = { artifactId: id, path: input.path, accountId: ctx.actor.accountId, expiresAtMs };
	const body = Buffer.from(JSON.stringify(facts)).toString("base64url");
	return { token: `${body}.${sign(store.secretKey, body)}`, expiresAt: new Date(expiresAtMs).toISOString() };
}

/**
 * Opens the file of a link. Permissions are checked again, so a person who left the team can no longer download.
 * @throws SpillwayError `unauthenticated` for a forged or expired link; as `openArtifactFile`
 */
export async function openLink(db: Db, store: ArtifactFiles & { secretKey: string }, token: string, nowMs: number): Promise<StoredFile> {
	const facts = verify(store.secretKey, token);
	if (facts === null || facts.expiresAtMs <= nowMs)
		throw new SpillwayError("unauthenticated", facts === null ? "The link is not valid." : "The link has expired.", {
			fix: "Create a new link.",
		});
	const [row] = await db
		.select({ account, custom: customRole })
		.from(account)
		.leftJoin(customRole, ITS_CUSTOM_ROLE)
		.where(eq(account.id, facts.accountId));
	if (!row) throw new SpillwayError("unauthenticated", "The person who created the link has no account.", { fix: "Create a new link." });
	return openArtifactFile({ actor: personOf(row.account, row.custom, "token"), db }, store, { id: facts.artifactId, path: facts.path });
}

/** The key is used for other signatures too; the prefix keeps them apart. */
function sign(secretKey: string, body: string): string {
	return createHmac("sha256", secretKey).update(`artifact-link:${body}`).digest("base64url");
}

function verify(secretKey: string, token: string): LinkFacts | null {
	const [body = "", signature = "", ...rest] = token.split(".");
	const expected = Buffer.from(sign(secretKey, body));
	const given = Buffer.from(signature);
	if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
	return linkFacts.parse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
}
