import type { ScreenId } from "#components/shell/navigation.ts";
import type { Permission } from "#server/domain/permissions.ts";

/** The signed-in user as shown in the shell. */
export type ShellUser = {
	name: string;
	/** "Platform engineer", or the name of a custom role. */
	role: string;
	permissions: readonly Permission[];
	team?: string | null;
};

/** Signs out and redirects to sign-in; a POST, so that no link can do it. */
export type SignOut = () => Promise<void>;

/** Counts next to navigation entries, such as active jobs. */
export type ShellCounts = Partial<Record<ScreenId, number>>;
