import type { ScreenId } from "#components/shell/navigation.ts";

/** Who is signed in, as far as the shell shows it. */
export type ShellUser = { name: string /** "Platform engineer", "Data scientist", "Finance" */; role: string; team?: string | null };

/** Ends the session and leads to the sign-in page; a POST, so that no link can do it. */
export type SignOut = () => Promise<void>;

/** Small figures beside entries of the navigation, such as the jobs that are active. */
export type ShellCounts = Partial<Record<ScreenId, number>>;
