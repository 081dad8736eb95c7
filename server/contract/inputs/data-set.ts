import { z } from "zod";
import { dataAddressOf } from "#server/domain/data-address.ts";
import { usdPerGiBSchema } from "#server/domain/store.ts";

/** A cloud region: only its machines are paid for while they wait for data. */
export const REGION_PLACE = /^(aws|azure|gcp):[a-z0-9-]+$/;

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

export const dataSetInput = z
	.strictObject({
		/** As named by jobs. */
		uri,
		/** Each place with a copy, and its URI there. */
		copies: z
			.array(
				z.strictObject({
					/** `provider:region` of a cloud, or the id of an owned site. */
					at: z.string().trim().min(1).max(128),
					uri,
					/** The same copy as the scheduler reads it. With it, copies elsewhere are made from here, and egress is charged. */
					readUri: uri.optional(),
				}),
			)
			.min(1, "name at least one copy, or leave the data set out")
			.max(64),
	})
	.refine(({ copies }) => new Set(copies.map((c) => c.at)).size === copies.length, {
		path: ["copies"],
		message: "has two copies at one place",
	});

/** URIs of folders in a store; data is written below them. */
const folderUri = uri.refine(
	(text) => !/^https?:/.test(text),
	"must be a store that can be written: s3, gs, azblob, sftp, webdav, rclone, or file at an owned site",
);

export const dataStoreInput = z
	.strictObject({
		/** `provider:region` of a cloud, or the id of an owned site. */
		at: z.string().trim().min(1).max(128),
		/** A folder for Spillway there, as seen by machines of the region. */
		uri: folderUri,
		/** The same folder as seen by the scheduler, if it needs other credentials; absent: the same URI. */
		writeUri: folderUri.optional(),
		/** Storage price there, as on the provider's bill. Copies without it show no cost. */
		usdPerGiBMonth: usdPerGiBSchema.optional(),
	})
	.refine(({ at, uri: folder }) => !REGION_PLACE.test(at) || !folder.startsWith("file:"), {
		path: ["uri"],
		message: "must be a store that machines of the region can read; a folder is possible at owned sites only",
	});

export const dataSetsInput = z
	.strictObject({
		items: z.array(dataSetInput).max(2_000),
		stores: z
			.array(dataStoreInput)
			.max(64)
			.refine((stores) => new Set(stores.map((s) => s.at)).size === stores.length, "two stores are at one place")
			.optional(),
	})
	.refine(({ items }) => new Set(items.map((d) => d.uri)).size === items.length, { path: ["items"], message: "has a duplicate data set" });
