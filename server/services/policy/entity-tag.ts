import { createHash } from "node:crypto";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { fetchPointer, fetchVersion } from "./fetch-version.ts";

/** Identifies a version's text in entity tags; 16 hex digits of its SHA-256. */
export function hashOf(source: string): string {
	return createHash("sha256").update(source).digest("hex").slice(0, 16);
}

/** The strong entity tag (RFC 9110, 8.8.3) of a policy with this version in force. */
export function etagOf({ version, source }: { version: number; source: string }): string {
	return `"v${version}-${hashOf(source)}"`;
}

/** The version in force and its tag; null when none was published. */
export async function currentTag(ctx: ServiceContext, name: string): Promise<{ version: number; etag: string } | null> {
	authorize(ctx, "policy:read", null);
	const pointer = await fetchPointer(ctx.db, name);
	if (!pointer) return null;
	return { version: pointer.activeVersion, etag: etagOf(await fetchVersion(ctx.db, name, pointer.activeVersion)) };
}
