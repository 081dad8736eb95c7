import type { Inputs } from "#components/trpc/outputs.ts";
import type { StoreKind } from "#server/domain/store.ts";

/** A text field of a store kind, and where its value goes in the input. */
export interface StoreField {
	at: "config" | "secret";
	name: string;
	label: string;
	hint?: string;
	hidden?: true;
}

const prefix: StoreField = { at: "config", name: "prefix", label: "Prefix (optional)", hint: "Folder in the bucket, such as spillway." };
const place: StoreField = {
	at: "config",
	name: "place",
	label: "Place (optional)",
	hint: "Region such as aws:eu-west-1, or an owned site.",
};

export const STORE_FIELDS: Record<StoreKind, readonly StoreField[]> = {
	s3: [
		{ at: "config", name: "bucket", label: "Bucket" },
		prefix,
		{ at: "config", name: "region", label: "Region (optional)", hint: "us-east-1 when empty." },
		{ at: "config", name: "endpoint", label: "Endpoint (optional)", hint: "Address of MinIO, Ceph and other S3 services." },
		{ at: "config", name: "provider", label: "Service (optional)", hint: "AWS (default), Minio, Ceph or Other." },
		{ at: "config", name: "roleArn", label: "Role (optional)", hint: "ARN that machines assume for their folder." },
		place,
		{ at: "secret", name: "accessKeyId", label: "Access key ID" },
		{ at: "secret", name: "secretAccessKey", label: "Secret access key", hidden: true },
	],
	gcs: [
		{ at: "config", name: "bucket", label: "Bucket" },
		prefix,
		place,
		{ at: "secret", name: "serviceAccountKey", label: "Service account key", hint: "The JSON key file's content.", hidden: true },
	],
	azblob: [
		{ at: "config", name: "account", label: "Storage account" },
		{ at: "config", name: "container", label: "Container" },
		prefix,
		place,
		{ at: "secret", name: "accountKey", label: "Account key", hidden: true },
	],
	webdav: [
		{ at: "config", name: "url", label: "Address" },
		prefix,
		place,
		{ at: "secret", name: "user", label: "User" },
		{ at: "secret", name: "password", label: "Password", hidden: true },
	],
	folder: [{ at: "config", name: "path", label: "Folder", hint: "Absolute path that the web server and the scheduler share." }, place],
};

/** Builds the input from the fields. Empty fields are left out. */
export function storeInput(kind: StoreKind, team: string, name: string, texts: Readonly<Record<string, string>>): Inputs["store"]["add"] {
	const of = (at: StoreField["at"]) =>
		Object.fromEntries(
			STORE_FIELDS[kind]
				.filter((field) => field.at === at && texts[field.name]?.trim())
				.map((field) => [field.name, texts[field.name]?.trim() ?? ""]),
		);
	// The server validates each field, and its errors are shown there.
	return { team, name, config: { kind, ...of("config") } as Inputs["store"]["add"]["config"], secret: of("secret") };
}
