/** What middleware tells the handlers behind it. */
export interface AppEnv {
  Variables: {
    owner: string;
    /** Headers of the answer, whatever it will be. */
    answerHeaders: Record<string, string>;
  };
}
