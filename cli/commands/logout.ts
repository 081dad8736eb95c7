import { ApiError, Client } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { savedLogin, saveToken } from "../login-file.ts";
import { readSettings } from "../settings.ts";

export const logout: Command = {
	name: "logout",
	usage: "",
	summary: "revoke and delete the saved token for this server",
	options: {},
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway logout"],
	async run({ args, io, json }) {
		const { url } = readSettings(args, io);
		const saved = savedLogin(io.env, url);
		if (saved?.id !== undefined) {
			const client = new Client({ url, token: saved.token, tokenSource: "the saved token" }, io.signal);
			await client.delete(`/tokens/${encodeURIComponent(saved.id)}`).catch((error: unknown) => {
				// An expired or revoked token needs no revoking.
				if (!(error instanceof ApiError && (error.status === 401 || error.status === 404))) throw error;
			});
		}
		saveToken(io.env, url, null);
		if (json) io.out(`${JSON.stringify({ url, wasSignedIn: saved !== null })}\n`);
		else io.out(saved === null ? `No token is saved for ${url}.\n` : `Signed out of ${url}.\n`);
		return EXIT.done;
	},
};
