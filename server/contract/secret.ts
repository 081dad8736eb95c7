import { z } from "zod";
import { secretTarget, setSecretInput } from "./inputs/secret.ts";
import { operation } from "./operation.ts";
import { secretSchema } from "./outputs/secret.ts";

export const secret = {
	list: operation({
		method: "GET",
		path: "/secrets",
		summary: "List the secrets of your teams, never their values",
		description: "[Secrets](secrets.md).",
		permission: "secret:read",
		output: z.array(secretSchema),
		procedure: "query",
	}),
	set: operation({
		method: "PUT",
		path: "/teams/{team}/secrets/{name}",
		summary: "Create or replace a secret of a team; its value is never returned",
		permission: "secret:manage",
		example: { value: "hf_example_token" },
		output: z.object({ team: z.string(), name: z.string(), version: z.number() }),
		input: setSecretInput,
		procedure: "mutation",
	}),
	delete: operation({
		method: "DELETE",
		path: "/teams/{team}/secrets/{name}",
		summary: "Delete a secret; jobs that name it fail when they start",
		permission: "secret:manage",
		output: z.object({ team: z.string(), name: z.string() }),
		input: secretTarget,
		procedure: "mutation",
	}),
};
