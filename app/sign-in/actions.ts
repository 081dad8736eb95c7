"use server";
import { AuthError } from "next-auth";
import { z } from "zod";
import { ownPath } from "#components/sign-in/own-path.ts";
import type { SignInResult } from "#components/sign-in/sign-in-form.tsx";
import { signIn } from "#server/auth/next-auth.ts";

const fields = z.object({
	email: z.string().trim().min(1).max(256),
	password: z.string().min(1).max(256),
	callbackUrl: z.string().max(2_048),
});

/** Signs in with the password of a demo account. It leads on when that works, and answers what is wrong otherwise. */
export async function signInWithPassword(_before: SignInResult, form: FormData): Promise<SignInResult> {
	const given = fields.safeParse(Object.fromEntries(form));
	const email = String(form.get("email") ?? "").slice(0, 256);
	if (!given.success) return { email, error: "Give both the email address and the password." };
	try {
		await signIn("credentials", { ...given.data, redirectTo: ownPath(given.data.callbackUrl) });
	} catch (error) {
		if (error instanceof AuthError) {
			return { email, error: "The email address and the password do not belong together. Check both and try again." };
		}
		// The way on is thrown too.
		throw error;
	}
	return { email, error: null };
}

export async function signInWithSso(form: FormData): Promise<void> {
	await signIn("oidc", { redirectTo: ownPath(String(form.get("callbackUrl") ?? "")) });
}
