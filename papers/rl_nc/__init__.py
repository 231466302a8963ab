"""Yan, Wang, Lee, Giles: RL-NC, RLC-NC and Lo-NC on topics of 20 Newsgroups and Reuters."""
