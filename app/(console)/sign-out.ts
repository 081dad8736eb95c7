"use server";
import { signOut } from "#server/auth/next-auth.ts";

/** A server action: called by POST from our own pages alone, so that no link elsewhere can sign a person out. */
export async function signOutHere(): Promise<void> {
	await signOut({ redirectTo: "/sign-in" });
}
