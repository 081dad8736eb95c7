import type { ScreenId } from "#components/shell/navigation.ts";

/** Who is signed in, as far as the shell shows it. */
export type ShellUser = { name: string /** "Platform engineer", "Data scientist", "Finance" */; role: string; team?: string | null };

/** Small figures beside entries of the navigation, such as the jobs that are active. */
export type ShellCounts = Partial<Record<ScreenId, number>>;
