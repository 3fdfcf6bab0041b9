# In the folder where bash-completion looks for it, by the command's name.
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = src/command/completion/mublas
