import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";

export const MANIFEST = "manifest.json";

const tableSchema = z.strictObject({
	name: z.string().regex(/^[a-z_][a-z0-9_]*$/),
	columns: z.array(z.string()),
	rows: z.number().int().min(0),
	/** Of the uncompressed COPY text, hex. */
	sha256: z.string(),
});

/** Contents of a backup. The folder also has one file per table, `tables/<name>.copy.gz`: gzipped COPY text. */
export const manifestSchema = z.strictObject({
	format: z.literal("spillway-backup-1"),
	createdAt: z.iso.datetime(),
	/** PostgreSQL version that it was read from; it can be restored to any supported version. */
	postgres: z.string(),
	/** SHA-256 of each applied migration, in order, as drizzle records them. */
	migrations: z.array(z.string()).min(1),
	/** First days of the months with a partition of charges. */
	chargeMonths: z.array(z.iso.date()),
	sequences: z.array(z.strictObject({ name: z.string(), value: z.string().regex(/^\d+$/) })),
	tables: z.array(tableSchema).min(1),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** @throws SpillwayError when the folder is no backup */
export function readManifest(folder: string): Manifest {
	try {
		return manifestSchema.parse(JSON.parse(readFileSync(path.join(folder, MANIFEST), "utf8")));
	} catch (cause) {
		throw new SpillwayError("invalid_input", `${folder} is not a complete backup: its ${MANIFEST} is missing or damaged.`, {
			fix: "Name the folder that `spillway backup` wrote. A backup without a manifest was interrupted.",
			cause,
		});
	}
}

export function tableFile(folder: string, table: string): string {
	return path.join(folder, "tables", `${table}.copy.gz`);
}

/** A quoted SQL identifier. */
export function identifier(name: string): string {
	return `"${name.replaceAll('"', '""')}"`;
}
