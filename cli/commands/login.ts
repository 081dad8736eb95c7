import os from "node:os";
import { z } from "zod";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import { saveToken } from "../login-file.ts";
import { readSettings } from "../settings.ts";

const startedShape = z.looseObject({
	deviceCode: z.string(),
	userCode: z.string(),
	verificationUrl: z.string(),
	intervalSeconds: z.number(),
});
const redeemedShape = z.discriminatedUnion("status", [
	z.looseObject({ status: z.enum(["pending", "denied", "expired"]) }),
	z.looseObject({ status: z.literal("approved"), id: z.string(), token: z.string(), expiresAt: z.string(), name: z.string() }),
]);

export const login: Command = {
	name: "login",
	usage: "[--name TEXT]",
	summary: "sign in through the browser and save a token for this server",
	details:
		"Prints an address and a code. Open the address, compare the code and approve. The token acts as you for 30 days and is saved in ~/.config/spillway, readable by you alone.",
	options: { name: { value: "TEXT", help: "what the approval page calls this machine (default: its host name)" } },
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway login", "spillway login --url https://spillway.example.com"],
	async run({ args, client, io, json }) {
		const clientName = args.text("name") ?? os.hostname();
		const started = readAs(startedShape, await client.post("/login/device", { clientName }), "sign-in");
		io.err(`Open ${started.verificationUrl}\nand approve the code ${started.userCode}\n`);
		for (;;) {
			await io.sleep(started.intervalSeconds * 1_000);
			if (io.signal.aborted) throw new CliError(EXIT.interrupted, "Interrupted.");
			const answer = readAs(redeemedShape, await client.post("/login/token", { deviceCode: started.deviceCode }), "sign-in");
			if (answer.status === "denied") throw new CliError(EXIT.denied, "The sign-in was denied.");
			if (answer.status === "expired") throw new CliError(EXIT.denied, "The code expired. Run spillway login again.");
			if (answer.status !== "approved") continue;
			const file = saveToken(io.env, readSettings(args, io).url, { token: answer.token, id: answer.id });
			if (json) io.out(`${JSON.stringify({ name: answer.name, expiresAt: answer.expiresAt, file })}\n`);
			else io.out(`Signed in as ${answer.name} until ${answer.expiresAt}. The token is saved in ${file}.\n`);
			return EXIT.done;
		}
	},
};
