"use server";
import { underBase } from "#components/ui/under-base.ts";
import { signOut } from "#server/auth/next-auth.ts";

/** A server action accepts POST from our own pages only, so that a link on another site cannot sign a user out. */
export async function signOutHere(): Promise<void> {
	await signOut({ redirectTo: underBase("/sign-in") });
}
