import { z } from "zod";
import { addStoreInput, changeStoreInput, setStorageInput } from "./inputs/store.ts";
import { operation } from "./operation.ts";
import { storageSchema, storeCheckSchema, storeSchema } from "./outputs/store.ts";
import { byId } from "./parts.ts";

export const store = {
	list: operation({
		method: "GET",
		path: "/stores",
		summary: "List stores of teams, what each team keeps, and its limits",
		permission: "capacity:read",
		output: storageSchema,
		procedure: "query",
	}),
	add: operation({
		method: "POST",
		path: "/stores",
		summary: "Check a store and add it to a team; credentials are stored encrypted and never returned",
		permission: "store:manage",
		input: addStoreInput,
		example: {
			...{ team: "risk", name: "models" },
			config: { kind: "s3", bucket: "acme-models", prefix: "spillway", region: "eu-west-1", place: "aws:eu-west-1" },
			secret: { accessKeyId: "AKIA…", secretAccessKey: "…" },
		},
		output: storeSchema,
		status: 201,
		procedure: "mutation",
	}),
	change: operation({
		method: "PUT",
		path: "/stores/{id}",
		summary: "Make a store its team's default, or use the embedded store again",
		permission: "store:manage",
		input: changeStoreInput,
		example: { isDefault: true },
		output: storeSchema,
		write: true,
		procedure: "mutation",
	}),
	check: operation({
		method: "POST",
		path: "/stores/{id}/check",
		summary: "Write, list, read and delete a small file, and issue credentials for one folder",
		permission: "store:manage",
		input: byId,
		output: storeCheckSchema,
		write: true,
		procedure: "mutation",
	}),
	remove: operation({
		method: "DELETE",
		path: "/stores/{id}",
		summary: "Remove a store; its files stay where they are and stay readable",
		permission: "store:manage",
		input: byId,
		output: z.object({ id: z.string() }),
		write: true,
		procedure: "mutation",
	}),
	limits: operation({
		method: "PUT",
		path: "/storage-limits",
		summary: "Set a team's quota and retention of results",
		permission: "store:manage",
		input: setStorageInput,
		example: { team: "risk", quotaGiB: 500, keepDays: 90 },
		output: setStorageInput,
		write: true,
		procedure: "mutation",
	}),
};
