import { z } from "zod";
import { dataAddressOf } from "./data-address.ts";
import { usdPerGiBSchema } from "./store.ts";

/** A cloud region: only its machines are paid for while they wait for data. */
export const REGION_PLACE = /^(aws|azure|gcp):[a-z0-9-]+$/;

/** Maximum numbers of listed data sets, of stores for copies, and of copies of one set. */
export const DATA_LIMITS = { sets: 2_000, stores: 64, copies: 64 } as const;

const uri = z
	.string()
	.trim()
	.min(1)
	.max(1_024)
	.superRefine((text, ctx) => {
		try {
			dataAddressOf(text);
		} catch (error) {
			ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
		}
	});

/** `provider:region` of a cloud, or the id of an owned site. */
const place = z.string().trim().min(1).max(128);

/** Fields of a listed data set. */
export const dataSetFields = {
	/** As named by jobs. */
	uri,
	copies: z
		.array(
			z.strictObject({
				at: place.meta({ description: "Region such as aws:eu-west-1, or an owned site." }),
				uri: uri.meta({ description: "Address of the copy there." }),
				readUri: uri.optional().meta({
					description: "The same copy as the scheduler reads it. With it, copies elsewhere are made from here, and egress is charged.",
				}),
			}),
		)
		.min(1, "name at least one copy, or leave the data set out")
		.max(DATA_LIMITS.copies)
		.refine((copies) => new Set(copies.map(({ at }) => at)).size === copies.length, "has two copies at one place"),
	/** Copies that Spillway made count for jobs submitted up to this many days after the time of their data. Absent: only for earlier jobs. */
	freshDays: z.number().int().min(1).max(365).optional(),
};

/** URIs of folders in a store; data is written below them. */
const folderUri = uri.refine(
	(text) => !/^https?:/.test(text),
	"must be a store that can be written: s3, gs, azblob, sftp, webdav, rclone, or file at an owned site",
);

/** Fields of a store for copies. */
export const dataStoreFields = {
	at: place,
	/** A folder for Spillway there, as seen by machines of the region. */
	uri: folderUri,
	/** The same folder as seen by the scheduler, if it needs other credentials; absent: the same URI. */
	writeUri: folderUri.optional(),
	/** Storage price there, as on the provider's bill. Copies without it show no cost. */
	usdPerGiBMonth: usdPerGiBSchema.optional(),
	/** Whether Spillway also copies sets here that jobs keep reading from elsewhere, when that saves more egress than it costs. */
	share: z.boolean().optional(),
};

/** Whether machines of its place can read a store: a folder is possible at owned sites only. */
export function isReadableThere({ at, uri: folder }: { at: string; uri: string }): boolean {
	return !REGION_PLACE.test(at) || !folder.startsWith("file:");
}

export const UNREADABLE_STORE = {
	path: ["uri"],
	message: "must be a store that machines of the region can read; a folder is possible at owned sites only",
};
