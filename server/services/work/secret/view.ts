import type { jobSecret } from "#server/db/schema/job-secret.ts";
import type { SecretSource } from "#server/domain/job-secret.ts";

export interface SecretView {
	team: string;
	name: string;
	source: SecretSource;
	version: number;
	createdAt: string;
	changedAt: string;
	changedBy: string;
	/** When an attempt last received it; null for never. */
	lastUsedAt: string | null;
}

export function secretViewOf(row: Omit<typeof jobSecret.$inferSelect, "sealed">): SecretView {
	return {
		...{ team: row.team, name: row.name, source: row.source, version: row.version, changedBy: row.changedBy },
		createdAt: row.createdAt.toISOString(),
		changedAt: row.changedAt.toISOString(),
		lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
	};
}

/** Binds a sealed value to its row. */
export function secretOwner(team: string, name: string): string {
	return `secret:${team}/${name}`;
}
