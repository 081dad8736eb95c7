import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;
const COST = { N: 16_384, r: 8, p: 1 };

/** scrypt, as `scrypt$<salt>$<key>` in base64url. */
export async function hashPassword(password: string): Promise<string> {
	const salt = randomBytes(16);
	return `scrypt$${salt.toString("base64url")}$${(await derive(password, salt)).toString("base64url")}`;
}

/** In constant time for a well-formed hash; false for anything else. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
	const [kind, salt, key] = hash.split("$");
	if (kind !== "scrypt" || !salt || !key) return false;
	const expected = Buffer.from(key, "base64url");
	const given = await derive(password, Buffer.from(salt, "base64url"));
	return expected.length === given.length && timingSafeEqual(expected, given);
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		scrypt(password, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
	});
}
