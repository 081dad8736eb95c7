/** Tells browsers what to read again. */
export interface Change {
	topic: ChangeTopic;
	id: string | null;
	/** Whose change it is; null is everybody's business. */
	team: string | null;
}

export const CHANGE_TOPICS = ["job", "instance", "site", "spend", "policy", "log", "statement", "alert", "approval"] as const;
export type ChangeTopic = (typeof CHANGE_TOPICS)[number];
